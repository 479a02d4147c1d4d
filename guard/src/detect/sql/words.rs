//! The classes that words of SQL fall into: what may stand where, and what it says.
//!
//! Must not know: tokens, rules.

/// What a word is in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordClass {
    /// `and`, `or`, `xor`.
    Logical,
    /// `not`.
    Not,
    /// Operators written as words: `like`, `is`, `in`, `between`, `div`.
    Operator,
    /// `sounds`, which only `like` may follow.
    Sounds,
    /// In front of an operand or a list: `distinct`, `all`, `any`, `exists`, `binary`, `top`.
    Prefix,
    /// `null`, `true`, `current_user`: operands that name no column.
    Value,
    /// `case`.
    Case,
    /// `when`, `then`, `else`.
    Branch,
    /// `end`.
    CaseEnd,
    Union,
    Select,
    /// `from`.
    From,
    /// Other words that start a clause and are followed by an expression: `where`, `having`, `limit`, `using`, `as`.
    Clause,
    /// `order`, `group`, which `by` follows.
    Sorting,
    /// `by`.
    By,
    /// `for`: in `for update`, `for xml`, and in `substring(x from 1 for 1)`.
    For,
    /// `into`.
    Into,
    /// `procedure`.
    Procedure,
    /// A word that starts a statement.
    Statement(Statement),
    /// A function that waits or keeps the server busy.
    DelayFunction,
    /// A function that reads or writes files, or whose errors carry data.
    DangerousFunction,
    /// A function that says where one is: `version`, `user`, `database`.
    EnvironmentFunction,
    /// A function that takes texts apart or builds them, or another that only SQL has under this name.
    SqlFunction,
    /// A function that people who write about SQL, or about calculating, mention as often.
    CommonFunction,
    /// A table in which a database describes itself.
    Catalog,
    /// Everything else.
    Plain,
}

/// A word that starts a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    Alter,
    Attach,
    Begin,
    Call,
    Copy,
    Create,
    Declare,
    Delete,
    Drop,
    Execute,
    Goto,
    If,
    Insert,
    Load,
    Set,
    Shutdown,
    Truncate,
    Update,
    Use,
    WaitFor,
}
