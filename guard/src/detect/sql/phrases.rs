//! Phrases that say by themselves what is meant, where the walk reaches them: `UNION SELECT`, `; DROP TABLE x`,
//! `INTO OUTFILE`. Each looks a few tokens ahead.
//!
//! Must not know: what stood before the phrase.

use super::token::Token;
use super::tokenizer::Tokenizer;
use super::words::{Statement, WordClass};

/// How much a list after `SELECT` looks like SQL, and not like a sentence that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SelectList {
    /// "select delegates, members", "select 1": names or a constant.
    Possible,
    /// A call of a function of SQL, a variable, several constants.
    Certain,
}

/// Signs and words that may stand between `SELECT` and its list; nobody needs more of them.
const LONGEST_PREFIX: usize = 32;

/// The list after a `SELECT`, which has been read.
pub(super) fn select_list(mut tokens: Tokenizer<'_>) -> Option<SelectList> {
    let first = skip_prefixes(&mut tokens);
    let after_first = tokens;
    let next = tokens.next();
    match first {
        Token::Variable { .. } => Some(SelectList::Certain),
        Token::Number | Token::String { .. } if next == Token::Comma => Some(SelectList::Certain),
        Token::Number | Token::String { .. }
            if next == Token::ClosingParenthesis && is_cut_off(tokens) =>
        {
            Some(SelectList::Certain)
        }
        Token::Number | Token::String { .. } => Some(SelectList::Possible),
        Token::Star => source(after_first),
        Token::Word { class, .. } => match class {
            WordClass::Case => Some(SelectList::Certain),
            WordClass::Value if next == Token::Comma || next == Token::LogicalSign => {
                Some(SelectList::Certain)
            }
            WordClass::Operator if next == Token::OpeningParenthesis => Some(SelectList::Certain),
            _ if is_call(class) && next == Token::OpeningParenthesis => Some(SelectList::Certain),
            WordClass::Plain if next == Token::OpeningParenthesis => {
                let of_text = matches!(tokens.next(), Token::String { .. });
                Some(if of_text {
                    SelectList::Certain
                } else {
                    SelectList::Possible
                })
            }
            _ if matches!(
                next,
                Token::Sign
                    | Token::LogicalSign
                    | Token::Comma
                    | Token::ClosingParenthesis
                    | Token::ClosingComment { .. }
            ) =>
            {
                Some(SelectList::Possible)
            }
            _ => source(after_first),
        },
        _ => None,
    }
}

fn is_cut_off(mut tokens: Tokenizer<'_>) -> bool {
    matches!(tokens.next(), Token::ClosingComment { .. })
}

/// What follows the first item of a list: `FROM table`, maybe after an alias.
fn source(mut tokens: Tokenizer<'_>) -> Option<SelectList> {
    let mut token = tokens.next();
    if token.class() == Some(WordClass::Clause) {
        token = tokens.next();
    }
    let alias = is_name(token) || matches!(token, Token::String { .. });
    if alias {
        token = tokens.next();
    }
    if token.class() == Some(WordClass::Union) && alias {
        return Some(SelectList::Possible);
    }
    if token.class() != Some(WordClass::From) {
        return None;
    }
    let table = tokens.next();
    let next = tokens.next();
    let certain = table.class() == Some(WordClass::Catalog)
        || is_name(table)
            && matches!(
                next,
                Token::Comma | Token::Semicolon | Token::ClosingComment { .. }
            )
        || is_name(table)
            && matches!(next, Token::Word { class: WordClass::Clause, text } if text.eq_ignore_ascii_case(b"limit"));
    Some(if certain {
        SelectList::Certain
    } else {
        SelectList::Possible
    })
}

fn skip_prefixes<'a>(tokens: &mut Tokenizer<'a>) -> Token<'a> {
    let mut token = tokens.next();
    for _ in 0..LONGEST_PREFIX {
        match token {
            Token::OpeningParenthesis | Token::Sign | Token::Negation => {}
            Token::Word {
                class: WordClass::Prefix | WordClass::Select | WordClass::Not,
                text,
            } => {
                if text.eq_ignore_ascii_case(b"top") || text.eq_ignore_ascii_case(b"first") {
                    tokens.next();
                }
            }
            _ => break,
        }
        token = tokens.next();
    }
    token
}

/// Whether a word of this class, in front of a parenthesis, is a function.
pub(super) fn is_call(class: WordClass) -> bool {
    matches!(
        class,
        WordClass::DelayFunction
            | WordClass::DangerousFunction
            | WordClass::EnvironmentFunction
            | WordClass::SqlFunction
            | WordClass::CommonFunction
            | WordClass::Statement(Statement::If | Statement::Insert)
    )
}

/// The list of `[ALL] SELECT …` after a `UNION`, which has been read.
pub(super) fn union_select(mut tokens: Tokenizer<'_>) -> Option<SelectList> {
    for _ in 0..LONGEST_PREFIX {
        match tokens.next() {
            Token::OpeningParenthesis => {}
            Token::Word { class, .. } => match class {
                WordClass::Prefix => {}
                WordClass::Select => return select_list(tokens),
                _ => return None,
            },
            _ => return None,
        }
    }
    None
}

/// `(SELECT …` or `(UNION (SELECT …`; the first parenthesis has been read.
pub(super) fn subselect(tokens: Tokenizer<'_>) -> bool {
    let mut after_first = tokens;
    match after_first.next().class() {
        Some(WordClass::Union) => union_select(after_first).is_some(),
        _ => union_select(tokens).is_some(),
    }
}

/// Whether the value stops at a `UNION`, which has been read, or at its `SELECT`.
pub(super) fn union_is_last(mut tokens: Tokenizer<'_>) -> Option<UnionEnd> {
    let mut end = UnionEnd::Union;
    for _ in 0..LONGEST_PREFIX {
        match tokens.next() {
            Token::OpeningParenthesis
            | Token::Word {
                class: WordClass::Prefix,
                ..
            } => {}
            Token::Word {
                class: WordClass::Select,
                ..
            } => end = UnionEnd::Select,
            Token::End | Token::ClosingComment { .. } => return Some(end),
            _ => return None,
        }
    }
    None
}

/// See [`union_is_last`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnionEnd {
    Union,
    Select,
}

/// `INTO` has been read: does it go into a file, or a variable?
pub(super) fn into_file(mut tokens: Tokenizer<'_>) -> bool {
    word_is(tokens.next(), &[b"outfile", b"dumpfile"])
        && matches!(
            tokens.next(),
            Token::String { .. }
                | Token::Variable { .. }
                | Token::OpeningParenthesis
                | Token::Word { .. }
        )
}

/// `FOR` has been read: `UPDATE`, which locks rows and after which a `UNION` may follow.
pub(super) fn is_update(token: Token<'_>) -> bool {
    token.class() == Some(WordClass::Statement(Statement::Update))
}

/// `PROCEDURE` has been read: `ANALYSE(`, which MySQL allows after a statement.
pub(super) fn procedure_analyse(mut tokens: Tokenizer<'_>) -> bool {
    word_is(tokens.next(), &[b"analyse"]) && tokens.next() == Token::OpeningParenthesis
}

/// `ORDER BY` has been read: numbers of columns, and then nothing of the application's statement. So many columns are
/// counted. The answer says whether the value is cut off there by a comment.
pub(super) fn column_numbers(mut tokens: Tokenizer<'_>) -> Option<Columns> {
    let mut count = 0_usize;
    loop {
        if tokens.next() != Token::Number {
            return None;
        }
        count = count.saturating_add(1);
        match tokens.next() {
            Token::Comma => {}
            Token::ClosingComment { text } => {
                return Some(Columns {
                    count,
                    cut_off: is_short(text),
                });
            }
            Token::End => {
                return Some(Columns {
                    count,
                    cut_off: false,
                });
            }
            _ => return None,
        }
    }
}

/// See [`column_numbers`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) count: usize,
    pub(super) cut_off: bool,
}

/// Whether nothing is said after a comment's sign: `--`, `-- -`, `--+`, `-- a`.
pub(super) fn is_short(comment: &[u8]) -> bool {
    let said = comment
        .iter()
        .filter(|byte| **byte > b' ' && !matches!(byte, b'-' | b'+' | b'#' | b'!'));
    said.clone().count() <= 2 && said.clone().all(u8::is_ascii_alphanumeric)
}

/// Whether a statement starts with `first` and what follows. `first` has been read.
pub(super) fn is_statement(first: Statement, mut tokens: Tokenizer<'_>) -> bool {
    let before = tokens;
    let second = tokens.next();
    let third = tokens.next();
    let named = is_name(second);
    match first {
        Statement::Alter | Statement::Create | Statement::Drop | Statement::Truncate => {
            word_is(second, KINDS) && is_name(third) && ends(tokens, first)
        }
        Statement::Begin => begins(second, before),
        Statement::Call => named && third == Token::OpeningParenthesis,
        Statement::Declare => {
            matches!(second, Token::Variable { .. }) || named && word_is(third, &[b"cursor"])
        }
        Statement::Delete => {
            let from = second.class() == Some(WordClass::From) && is_name(third);
            from && tokens.next().class().is_none_or(follows_table)
                || named && third.class() == Some(WordClass::From)
        }
        Statement::Execute => is_procedure(second) || second == Token::OpeningParenthesis,
        Statement::Goto => named && (third.class().is_some_and(starts) || third.ends_statement()),
        Statement::If => condition(second, third),
        Statement::Insert => {
            second.class() == Some(WordClass::Into)
                && is_name(third)
                && matches!(
                    tokens.next(),
                    Token::OpeningParenthesis | Token::Word { .. }
                )
        }
        Statement::Load => {
            word_is(second, &[b"data", b"xml"])
                && (word_is(third, &[b"infile"]) || word_is(tokens.next(), &[b"infile"]))
        }
        Statement::Set => matches!(second, Token::Variable { .. }) && third == Token::Comparison,
        Statement::Shutdown => {
            second.ends_statement() || second.class() == Some(WordClass::CaseEnd)
        }
        Statement::Update => {
            named
                && third.class() == Some(WordClass::Statement(Statement::Set))
                && is_name(tokens.next())
                && tokens.next() == Token::Comparison
        }
        Statement::Use => named && third == Token::Semicolon,
        Statement::WaitFor => {
            word_is(second, &[b"delay", b"time"])
                && matches!(third, Token::String { .. } | Token::Variable { .. })
        }
    }
}

/// `DECLARE` has been read: `@s varchar(8000); SET @s = CAST(0x…`. So the worms of 2008 hid what they ran.
pub(super) fn is_hidden_statement(mut tokens: Tokenizer<'_>) -> bool {
    if !matches!(tokens.next(), Token::Variable { .. }) {
        return false;
    }
    let declaration = std::iter::from_fn(|| Some(tokens.next()));
    let mut rest = declaration
        .take(16)
        .skip_while(|token| token.class() != Some(WordClass::Statement(Statement::Set)));
    rest.next().is_some()
        && matches!(rest.next(), Some(Token::Variable { .. }))
        && rest.next() == Some(Token::Comparison)
        && rest.next().is_some_and(|value| {
            value == Token::Number || value.class() == Some(WordClass::SqlFunction)
        })
}

/// `EXEC` has been read: `xp_cmdshell`, or a procedure and its parameters by name, `sp_add_job @job_name = …`.
pub(super) fn is_procedure_call(mut tokens: Tokenizer<'_>) -> bool {
    let Token::Word { text, .. } = tokens.next() else {
        return false;
    };
    let extended = memchr::memmem::find(text, b"xp_").is_some();
    let with_parameter =
        matches!(tokens.next(), Token::Variable { .. }) && tokens.next() == Token::Comparison;
    extended || is_procedure_name(text) && with_parameter
}

/// What `DROP` and the like are about.
const KINDS: &[&[u8]] = &[
    b"table",
    b"database",
    b"function",
    b"procedure",
    b"view",
    b"user",
    b"schema",
    b"index",
    b"login",
    b"trigger",
];

fn ends(mut tokens: Tokenizer<'_>, first: Statement) -> bool {
    matches!(first, Statement::Alter | Statement::Create)
        && matches!(
            tokens.next(),
            Token::OpeningParenthesis | Token::Word { .. }
        )
        || tokens.next().ends_statement()
}

fn follows_table(class: WordClass) -> bool {
    matches!(class, WordClass::Clause | WordClass::Sorting)
}

fn begins(second: Token<'_>, tokens: Tokenizer<'_>) -> bool {
    word_is(second, &[b"try", b"tran", b"transaction"])
        || second.class().is_some_and(starts) && !tokens.skipped_comment()
}

/// Whether a word of this class can be the first of a statement.
fn starts(class: WordClass) -> bool {
    matches!(class, WordClass::Statement(_) | WordClass::Select)
}

fn condition(second: Token<'_>, third: Token<'_>) -> bool {
    match second {
        Token::OpeningParenthesis => !matches!(
            third,
            Token::Word {
                class: WordClass::Plain,
                ..
            }
        ),
        Token::Number => third == Token::Comparison,
        Token::Word {
            class: WordClass::Prefix,
            ..
        } => third == Token::OpeningParenthesis,
        _ => false,
    }
}

/// Stored procedures of SQL Server, by their prefixes, and names that leave out the schema: `master..xp_cmdshell`.
fn is_procedure_name(text: &[u8]) -> bool {
    let prefixed = text.get(..3).is_some_and(|prefix| {
        prefix.eq_ignore_ascii_case(b"xp_") || prefix.eq_ignore_ascii_case(b"sp_")
    });
    prefixed || memchr::memmem::find(text, b"..").is_some_and(|at| at > 0 && at + 2 < text.len())
}

fn is_procedure(token: Token<'_>) -> bool {
    match token {
        Token::Word { text, .. } => is_procedure_name(text),
        Token::Variable { .. } => true,
        _ => false,
    }
}

fn is_name(token: Token<'_>) -> bool {
    matches!(
        token,
        Token::Word {
            class: WordClass::Plain | WordClass::EnvironmentFunction,
            ..
        }
    )
}

fn word_is(token: Token<'_>, words: &[&[u8]]) -> bool {
    matches!(token, Token::Word { text, .. } if words.iter().any(|word| text.eq_ignore_ascii_case(word)))
}
