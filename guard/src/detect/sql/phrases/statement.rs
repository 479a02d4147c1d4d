//! Whole statements behind a semicolon or a quote.
//!
//! Must not know: what stood before.

use super::{is_name, word_is};
use crate::detect::sql::token::Token;
use crate::detect::sql::tokenizer::Tokenizer;
use crate::detect::sql::words::{Statement, WordClass};

/// Whether a statement starts with `first` and what follows. `first` has been read.
pub(in super::super) fn is_statement(first: Statement, mut tokens: Tokenizer<'_>) -> bool {
    let before = tokens;
    let second = tokens.next();
    let third = tokens.next();
    let named = is_name(second);
    match first {
        Statement::Alter | Statement::Create | Statement::Drop | Statement::Truncate => {
            if second.class() == Some(WordClass::Logical)
                && third.class() == Some(WordClass::Statement(Statement::Insert))
            {
                // `create or replace`
                return word_is(tokens.next(), KINDS) && is_name(tokens.next());
            }
            word_is(second, KINDS) && is_name(third) && ends(tokens, first)
        }
        Statement::Attach => {
            word_is(second, &[b"database"])
                && matches!(third, Token::String { .. })
                && tokens.next().class() == Some(WordClass::Clause)
        }
        Statement::Begin => begins(second, before),
        Statement::Call => named && third == Token::OpeningParenthesis,
        Statement::Copy => (named || second == Token::OpeningParenthesis) && copies(third, tokens),
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
            second.ends_statement()
                || second.class() == Some(WordClass::CaseEnd)
                || word_is(second, &[b"with"]) && word_is(third, &[b"nowait"])
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

/// `DECLARE` has been read: `@s varchar(8000); SET @s = CAST(0x… ); EXEC(@s)`. So the worms of 2008 hid what they ran.
pub(in super::super) fn is_hidden_statement(mut tokens: Tokenizer<'_>) -> bool {
    /// So many tokens from the declaration to the call at most.
    const LONGEST: usize = 64;
    if !matches!(tokens.next(), Token::Variable { .. }) {
        return false;
    }
    let declaration = std::iter::from_fn(|| Some(tokens.next()));
    let mut rest = declaration
        .take(LONGEST)
        .skip_while(|token| token.class().is_none_or(|class| !assigns(class)));
    rest.next().is_some()
        && matches!(rest.next(), Some(Token::Variable { .. }))
        && rest.next() == Some(Token::Comparison)
        && rest.next().is_some_and(|value| {
            value == Token::Number
                || value.class() == Some(WordClass::SqlFunction)
                    && rest.next() == Some(Token::OpeningParenthesis)
                    && rest.next() == Some(Token::Number)
        })
        && rest.any(|token| token.class() == Some(WordClass::Statement(Statement::Execute)))
        && matches!(
            rest.next(),
            Some(Token::OpeningParenthesis | Token::Variable { .. })
        )
}

fn assigns(class: WordClass) -> bool {
    matches!(
        class,
        WordClass::Statement(Statement::Set) | WordClass::Select
    )
}

/// `EXEC` has been read: `xp_cmdshell`, or a procedure and its parameters by name, `sp_add_job @job_name = …`.
pub(in super::super) fn is_procedure_call(mut tokens: Tokenizer<'_>) -> bool {
    let Token::Word { text, .. } = tokens.next() else {
        return false;
    };
    let extended = text
        .windows(3)
        .any(|part| part.eq_ignore_ascii_case(b"xp_"));
    let with_parameter =
        matches!(tokens.next(), Token::Variable { .. }) && tokens.next() == Token::Comparison;
    extended || is_procedure_name(text) && with_parameter
}

/// `EXEC` has been read: whether a procedure of SQL Server follows.
pub(in super::super) fn names_procedure(mut tokens: Tokenizer<'_>) -> bool {
    matches!(tokens.next(), Token::Word { text, .. } if is_procedure_name(text))
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

/// `COPY` and what it is about have been read, up to the last token: a program that it reads from or writes to, or a file, in
/// PostgreSQL.
fn copies(last: Token<'_>, mut tokens: Tokenizer<'_>) -> bool {
    const LONGEST: usize = 32;
    let mut last = last;
    for _ in 0..LONGEST {
        let token = tokens.next();
        match token {
            Token::String { .. } if word_is(last, &[b"program"]) => return true,
            Token::String { content, .. } if word_is(last, &[b"to", b"from"]) => {
                return content.starts_with(b"/");
            }
            _ if token.ends_statement() => return false,
            _ => last = token,
        }
    }
    false
}

fn follows_table(class: WordClass) -> bool {
    matches!(class, WordClass::Clause | WordClass::Sorting)
}

fn begins(second: Token<'_>, tokens: Tokenizer<'_>) -> bool {
    word_is(second, &[b"try", b"tran", b"transaction"])
        || second
            .class()
            .is_some_and(|class| starts(class) || class == WordClass::DelayFunction)
            && !tokens.skipped_comment()
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
