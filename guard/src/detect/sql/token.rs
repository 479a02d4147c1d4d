//! The tokens of SQL, as far as injections are told apart by them.
//!
//! Must not know: what any sequence of tokens means.

use super::words::WordClass;

/// One token. Comments between tokens are no tokens: databases skip them, and so does the tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A number, hexadecimal ones included; `\N`, which MySQL reads as null, too.
    Number,
    /// A string in single or double quotes.
    String {
        content: &'a [u8],
        closed: bool,
    },
    /// `@name`, or `@@name`, which is one of the database's own.
    Variable {
        system: bool,
    },
    /// A word: a keyword, the name of a function, or any other, with dots as in `schema.table`.
    Word {
        text: &'a [u8],
        class: WordClass,
    },
    /// An operator that compares: `=`, `<>`, `<=`.
    Comparison,
    /// `&&`, `||`. The latter concatenates in most databases, and means "or" in MySQL.
    LogicalSign,
    /// `+`, `-`: between operands or in front of one.
    Sign,
    /// `!`, `~`: only in front of an operand.
    Negation,
    /// `*`: between operands, or all columns.
    Star,
    /// Any other operator that calculates: `/`, `%`, `&`, `|`, `^`, `<<`.
    Arithmetic,
    OpeningParenthesis,
    ClosingParenthesis,
    Comma,
    Semicolon,
    /// A comment that nothing follows: the rest of the application's statement is cut off.
    ClosingComment {
        text: &'a [u8],
    },
    /// What SQL has no token for, or none that injections need.
    Other,
    End,
}

impl Token<'_> {
    /// The class, if this is a word.
    pub(super) fn class(self) -> Option<WordClass> {
        match self {
            Self::Word { class, .. } => Some(class),
            _ => None,
        }
    }

    /// Whether a statement may stop in front of this token.
    pub(super) fn ends_statement(self) -> bool {
        matches!(
            self,
            Self::End | Self::Semicolon | Self::ClosingComment { .. }
        )
    }
}
