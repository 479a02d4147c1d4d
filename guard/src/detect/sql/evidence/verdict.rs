//! What follows from the evidence when the value is over.
//!
//! Must not know: tokens, grammar.

use super::{Ending, Evidence, FirstOperator};
use crate::detect::sql::breakout::BreakOut;
use crate::detect::sql::phrases::is_short;
use crate::detect::sql::rules;

impl Evidence {
    /// What the value is, if it stands where a number is expected.
    pub(in super::super) fn verdict_bare(&self, ending: Ending<'_>) -> Option<&'static str> {
        let cut_off = matches!(ending, Ending::Comment(text) if is_short(text));
        let constants_only = self.names == 0 && self.constants > 0;
        if self.logical && self.bare_first_condition && self.constant_comparison {
            return Some(rules::BOOLEAN);
        }
        if self.opened_by_logical && self.goes_on_as_condition(ending, cut_off) {
            return Some(rules::BOOLEAN);
        }
        if self.delays && cut_off && self.names == 0 {
            return Some(rules::TIME_DELAY);
        }
        let beside_constant = self.logical && self.first_operand_constant;
        let with_column = self.comparison
            && self.bare_first_condition
            && (cut_off || self.string || self.null_test);
        if beside_constant && with_column {
            return Some(rules::BOOLEAN);
        }
        if self.logical
            && constants_only
            && cut_off
            && !self.comparison
            && !(self.opened_by_logical && self.string)
        {
            return Some(rules::BOOLEAN);
        }
        if self.environment_function
            && !self.other_function
            && (beside_constant
                || self.sql_function
                // `@@count = 0` sets a variable of a class in Ruby.
                || (self.logical || self.calls) && self.constant_comparison && self.names == 0)
        {
            return Some(rules::ENVIRONMENT_PROBE);
        }
        if self.sql_function && beside_constant {
            return Some(rules::FUNCTION_CALL);
        }
        if self.whole_select && self.is_probing_select() {
            return Some(rules::SELECT_PROBE);
        }
        if self.conditional_comment && (self.whole_select || self.logical) {
            return Some(rules::COMMENT_OBFUSCATION);
        }
        if self.case_parts >= 4 && self.names == 0 {
            return Some(rules::CASE_EXPRESSION);
        }
        let sql_only = self.variable
            || self.string && self.constants > 1
            || self.logical
            || self.prefix
            || self.select;
        let product = self.product && self.constants > 1 && !self.comma;
        if cut_off && constants_only && (self.opened_first && sql_only && !self.comma || product) {
            return Some(rules::COMMENT_TERMINATED);
        }
        let left = self.unopened && (self.first_operand_constant || self.constant_comparison);
        if self.clause && self.comparison && (left || cut_off && self.first_operand_constant) {
            return Some(rules::CLAUSE_BREAKOUT);
        }
        None
    }

    /// Whether what begins with `or` and the like is the rest of a condition. Nobody else has constants to compare behind
    /// such a word, and nothing but them: sums are for children.
    fn goes_on_as_condition(&self, ending: Ending<'_>, cut_off: bool) -> bool {
        let over = match ending {
            Ending::Plain => !self.calculated,
            Ending::Comment(_) => cut_off || !self.calculated,
            Ending::OpenString(text) => !text.contains(&b' '),
        };
        let constants_only = self.names == 0 && self.constants > 0;
        over && (constants_only && self.constant_comparison || cut_off && self.comparison)
    }

    /// Whether all there is stands between two quotes, and may be a quotation: `'+'`, `"like"`, `' - '`.
    fn is_quoted_operator(&self, break_out: &BreakOut<'_>, ending: Ending<'_>) -> bool {
        if !break_out.may_open_quotation() || !matches!(ending, Ending::OpenString(_)) {
            return false;
        }
        let word = self.word_operator_first || self.logical;
        let spaced = break_out.tail.first().is_some_and(u8::is_ascii_whitespace);
        if word && !spaced {
            return self.constants < 3;
        }
        let alone = self.names == 0 && self.constants == 1 && !self.calls;
        alone && !(word && break_out.quote == b'\'')
    }

    fn is_probing_select(&self) -> bool {
        if self.sql_function
            || self.environment_function
            || self.variable && (self.comma || self.from || self.parentheses)
        {
            return true;
        }
        let constants = self.constants > 0 && self.comma;
        if self.opened_first {
            return self.case_parts >= 4 && self.constant_comparison
                || self.from && (self.common_function || self.catalog || self.limit || constants);
        }
        self.from && constants && (self.common_function || self.parentheses)
    }

    /// What the value is, if it stands in a string that it has left.
    pub(in super::super) fn verdict_broken_out(
        &self,
        break_out: &BreakOut<'_>,
        ending: Ending<'_>,
    ) -> Option<&'static str> {
        let plain_head = break_out.has_plain_head();
        let (cut_off, reopened) = match ending {
            Ending::Plain => (false, false),
            Ending::Comment(text) => (is_short(text), false),
            Ending::OpenString(text) => (false, is_remainder(text, break_out.head)),
        };
        let constants_only = self.names == 0 && self.constants > 0;
        let placeholders = break_out.has_placeholder_head()
            && matches!(ending, Ending::OpenString(text) if is_placeholder(text));
        match self.first_operator {
            None if self.has_operand() => None,
            None if break_out.quote == b'"' && break_out.head.is_empty() => None,
            None => {
                // What goes on directly is a word, or a password; behind inches anything is.
                let goes_on = match ending {
                    Ending::Comment(text) if break_out.is_measure() => {
                        text.iter().any(u8::is_ascii_alphanumeric)
                    }
                    Ending::Comment([first, ..]) => first.is_ascii_alphanumeric(),
                    _ => false,
                };
                (cut_off && plain_head && !goes_on).then_some(rules::COMMENT_AFTER_QUOTE)
            }
            Some(FirstOperator::Logical) => {
                if placeholders {
                    return Some(rules::BOOLEAN);
                }
                let over = !matches!(ending, Ending::Plain);
                let with_column = plain_head && !break_out.is_measure() && self.constants > 0;
                if self.constant_comparison || self.comparison && (over || with_column) {
                    return Some(rules::BOOLEAN);
                }
                if plain_head && constants_only && self.environment_function {
                    return Some(rules::BOOLEAN);
                }
                if !self.is_quoted_operator(break_out, ending)
                    && plain_head
                    && (cut_off || reopened)
                    && (constants_only || self.sql_function || self.environment_function)
                {
                    return Some(rules::BOOLEAN);
                }
                None
            }
            Some(FirstOperator::Comma) => None,
            // A quoted operator alone is what people search for who learn to write programs.
            Some(FirstOperator::Other) if self.is_quoted_operator(break_out, ending) => None,
            Some(FirstOperator::Other)
                if break_out.may_open_quotation()
                    && !cut_off
                    && !self.logical
                    && (self.names > 0 || !self.comparison && !self.calls) =>
            {
                None
            }
            Some(FirstOperator::Other) => (plain_head && (cut_off || reopened) || placeholders)
                .then_some(rules::QUOTE_EXPRESSION),
        }
    }
}

/// Whether a string says as little as its counterpart in front of the operator.
fn is_placeholder(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    !text.is_empty() && text.len() <= 2 && text.iter().all(u8::is_ascii_alphanumeric)
}

/// Whether a string that the application's quote closes is what attackers leave there: nothing, a number, a letter, or
/// the same as in front. Words are what people put into quotes.
fn is_remainder(text: &[u8], head: &[u8]) -> bool {
    let text = text.trim_ascii();
    text.len() <= 2 && text.iter().all(u8::is_ascii_alphanumeric)
        || text.iter().all(u8::is_ascii_digit)
        || !head.is_empty() && text == head.trim_ascii()
}
