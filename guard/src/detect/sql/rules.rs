//! The rules by their ids, which logs name and configurations silence.
//!
//! Must not know: how they are found.

/// All ids of this module.
pub(super) const ALL: &[&str] = &[
    BOOLEAN,
    CASE_EXPRESSION,
    CLAUSE_BREAKOUT,
    COMMENT_AFTER_QUOTE,
    COMMENT_OBFUSCATION,
    COMMENT_TERMINATED,
    DANGEROUS_FUNCTION,
    ENVIRONMENT_PROBE,
    FILE_ACCESS,
    FUNCTION_CALL,
    ORDER_BY_PROBE,
    PROCEDURE_ANALYSE,
    PROCEDURE_CALL,
    QUOTE_EXPRESSION,
    SELECT_PROBE,
    STACKED_STATEMENT,
    SUBSELECT,
    TIME_DELAY,
    UNION_SELECT,
];

/// A condition that is always true, or never, put beside the application's: `1 or 1=1`, `' and 'a'='b`.
pub(super) const BOOLEAN: &str = "sqli.boolean";
/// `CASE WHEN … THEN … END` of constants, which asks whether SQL is run at all.
pub(super) const CASE_EXPRESSION: &str = "sqli.case-expression";
/// The end of a parenthesis or of the statement, and a clause with a condition: `1) from users where name='`.
pub(super) const CLAUSE_BREAKOUT: &str = "sqli.clause-breakout";
/// A quote that ends the application's string, and a comment that cuts off the rest: `admin'--`.
pub(super) const COMMENT_AFTER_QUOTE: &str = "sqli.comment-after-quote";
/// Comments between the words of an injection, which hide it from filters: `1/**/union#…`.
pub(super) const COMMENT_OBFUSCATION: &str = "sqli.comment-obfuscation";
/// A whole expression of constants, and a comment that cuts off the rest: `(1 or @a) --`.
pub(super) const COMMENT_TERMINATED: &str = "sqli.comment-terminated";
/// A function that reads files, runs commands, or carries data in its errors: `load_file(`, `extractvalue(`.
pub(super) const DANGEROUS_FUNCTION: &str = "sqli.dangerous-function";
/// Questions about version, user and database: `1 and substring(@@version,1,1)=5`.
pub(super) const ENVIRONMENT_PROBE: &str = "sqli.environment-probe";
/// `INTO OUTFILE`, `INTO DUMPFILE`.
pub(super) const FILE_ACCESS: &str = "sqli.file-access";
/// A function that takes texts apart or builds them, beside a constant: `1 or lpad(name,7,1)`.
pub(super) const FUNCTION_CALL: &str = "sqli.function-call";
/// `ORDER BY 5`, which counts columns before a `UNION`.
pub(super) const ORDER_BY_PROBE: &str = "sqli.order-by-probe";
/// `PROCEDURE ANALYSE(`, which carries data in its errors.
pub(super) const PROCEDURE_ANALYSE: &str = "sqli.procedure-analyse";
/// `EXEC xp_cmdshell`, and variables that hide what is run.
pub(super) const PROCEDURE_CALL: &str = "sqli.procedure-call";
/// A string that is left, an operator, and a string that the application's quote closes: `x' * id - '0`.
pub(super) const QUOTE_EXPRESSION: &str = "sqli.quote-expression";
/// A `SELECT` as the whole value, of what nobody looks for in tables: `(select @@version)`, `select sin(1),2 from x`.
pub(super) const SELECT_PROBE: &str = "sqli.select-probe";
/// A second statement: `1; drop table users`, `' exec master..xp_cmdshell`.
pub(super) const STACKED_STATEMENT: &str = "sqli.stacked-statement";
/// A `SELECT` as an operand of an expression: `1 and (select 1 from users)`.
pub(super) const SUBSELECT: &str = "sqli.subselect";
/// `sleep(5)`, `benchmark(…)`, `WAITFOR DELAY`: the answer is in the time it takes.
pub(super) const TIME_DELAY: &str = "sqli.time-delay";
/// `UNION SELECT` after a value or a quote: rows of another table.
pub(super) const UNION_SELECT: &str = "sqli.union-select";
