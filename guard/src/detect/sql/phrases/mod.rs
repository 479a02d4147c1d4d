//! Phrases that say by themselves what is meant, where the walk reaches them: `UNION SELECT`, `; DROP TABLE x`,
//! `INTO OUTFILE`. Each looks a few tokens ahead.
//!
//! Must not know: what stood before the phrase.

mod select;
mod statement;

pub(super) use select::{
    SelectList, UnionEnd, is_call, select_list, subselect, union_is_last, union_select,
};
pub(super) use statement::{is_hidden_statement, is_procedure_call, is_statement, names_procedure};

use super::token::Token;
use super::tokenizer::Tokenizer;
use super::words::{Statement, WordClass};

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

fn is_name(token: Token<'_>) -> bool {
    matches!(
        token,
        Token::Word {
            class: WordClass::Plain | WordClass::EnvironmentFunction | WordClass::Catalog,
            ..
        }
    )
}

fn word_is(token: Token<'_>, words: &[&[u8]]) -> bool {
    matches!(token, Token::Word { text, .. } if words.iter().any(|word| text.eq_ignore_ascii_case(word)))
}
