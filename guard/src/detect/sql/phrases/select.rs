//! `SELECT` and `UNION SELECT`: whether what follows is a list of columns, or a sentence.
//!
//! Must not know: what stood before.

use super::{is_name, word_is};
use crate::detect::sql::token::Token;
use crate::detect::sql::tokenizer::Tokenizer;
use crate::detect::sql::words::{Statement, WordClass};

/// How much a list after `SELECT` looks like SQL, and not like a sentence that goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum SelectList {
    /// "select delegates, members", "select 1": names or a constant.
    Possible,
    /// A call of a function of SQL, a variable, several constants.
    Certain,
}

/// Signs and words that may stand between `SELECT` and its list; nobody needs more of them.
const LONGEST_PREFIX: usize = 32;

/// The list after a `SELECT`, which has been read.
pub(in super::super) fn select_list(mut tokens: Tokenizer<'_>) -> Option<SelectList> {
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
        Token::Word { class, text } => match class {
            WordClass::Case | WordClass::Select => Some(SelectList::Certain),
            WordClass::Value if next == Token::Comma || next == Token::LogicalSign => {
                Some(SelectList::Certain)
            }
            WordClass::Operator if next == Token::OpeningParenthesis => Some(SelectList::Certain),
            WordClass::Value if next == Token::OpeningParenthesis && text.contains(&b'_') => {
                Some(SelectList::Certain)
            }
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
        || table == Token::OpeningParenthesis && next.class() == Some(WordClass::Select)
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
                class: WordClass::Prefix | WordClass::Not,
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
pub(in super::super) fn is_call(class: WordClass) -> bool {
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

/// The list of `[ALL] SELECT …` after a `UNION`, which has been read, or what else gives rows.
pub(in super::super) fn union_select(mut tokens: Tokenizer<'_>) -> Option<SelectList> {
    for _ in 0..LONGEST_PREFIX {
        match tokens.next() {
            Token::OpeningParenthesis => {}
            Token::Word { class, text } => match class {
                WordClass::Prefix => {}
                WordClass::Select => return select_list(tokens),
                _ => return rows(text, tokens),
            },
            _ => return None,
        }
    }
    None
}

/// `VALUES (1, …)`, `VALUES ROW(1, …)` and `TABLE name` in place of a `SELECT`; the first word has been read.
fn rows(first: &[u8], mut tokens: Tokenizer<'_>) -> Option<SelectList> {
    let mut token = tokens.next();
    let gives_rows = if first.eq_ignore_ascii_case(b"values") {
        if word_is(token, &[b"row"]) {
            token = tokens.next();
        }
        let value = tokens.next();
        token == Token::OpeningParenthesis
            && (matches!(value, Token::Number | Token::String { .. })
                || matches!(
                    value.class(),
                    Some(WordClass::Value | WordClass::SqlFunction)
                ))
    } else {
        first.eq_ignore_ascii_case(b"table") && is_name(token) && is_cut_off(tokens)
    };
    gives_rows.then_some(SelectList::Possible)
}

/// `(SELECT …` or `(UNION (SELECT …`; the first parenthesis has been read.
pub(in super::super) fn subselect(tokens: Tokenizer<'_>) -> bool {
    let mut after_first = tokens;
    match after_first.next().class() {
        Some(WordClass::Union) => union_select(after_first).is_some(),
        _ => union_select(tokens).is_some(),
    }
}

/// Whether the value stops at a `UNION`, which has been read, or at its `SELECT`.
pub(in super::super) fn union_is_last(mut tokens: Tokenizer<'_>) -> Option<UnionEnd> {
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
pub(in super::super) enum UnionEnd {
    Union,
    Select,
}
