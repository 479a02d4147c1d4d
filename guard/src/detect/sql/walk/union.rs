//! Unions, and subselects whose operator a comment hides.
//!
//! Must not know: what the evidence is worth.

use super::{NOT_SQL, Step, Walk, found};
use crate::detect::sql::phrases::{self, SelectList, UnionEnd};
use crate::detect::sql::rules;

impl Walk<'_> {
    pub(super) fn union(&mut self) -> Step {
        if self.is_directly_after_quote()
            && self
                .break_out
                .is_some_and(|break_out| break_out.is_quotation())
        {
            return NOT_SQL;
        }
        let certain = self.is_credible()
            && (self.break_out.is_some()
                || self.evidence.names == 0 && self.evidence.has_operand()
                || self.evidence.first_operand_constant
                || self.comments);
        let obfuscated =
            self.comments && self.evidence.first_operand_constant && self.break_out.is_none();
        match phrases::union_select(self.tokens) {
            // Of names only, it is a statement that somebody writes about.
            Some(SelectList::Certain) if !self.evidence.whole_select || certain => {
                found(rules::UNION_SELECT)
            }
            Some(SelectList::Possible) if certain => found(rules::UNION_SELECT),
            _ if obfuscated => found(rules::COMMENT_OBFUSCATION),
            _ => self.union_at_the_end(),
        }
    }

    /// A union without its `SELECT`, which a filter has taken away or another value brings.
    fn union_at_the_end(&self) -> Step {
        match phrases::union_is_last(self.tokens) {
            Some(UnionEnd::Union)
                if self.evidence.logical
                    && self.evidence.comparison
                    && self.evidence.names == 0 =>
            {
                found(rules::UNION_SELECT)
            }
            Some(UnionEnd::Select) if !self.is_credible() => NOT_SQL,
            Some(UnionEnd::Select) if self.evidence.logical || self.break_out.is_some() => {
                found(rules::UNION_SELECT)
            }
            _ => NOT_SQL,
        }
    }

    /// The operator between a value and a subselect, hidden in a comment from whoever looks for it.
    pub(super) fn subselect_after_comment(&self) -> Step {
        if phrases::subselect(self.tokens) {
            found(rules::COMMENT_OBFUSCATION)
        } else {
            NOT_SQL
        }
    }
}
