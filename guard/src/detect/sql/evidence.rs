//! What the walk has met, and what follows from it when the value is over.
//!
//! Must not know: tokens, grammar.

use super::breakout::BreakOut;
use super::phrases::is_short;
use super::rules;
use super::words::WordClass;

/// How a value is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ending<'a> {
    Plain,
    /// In a comment that cuts off the application's statement.
    Comment(&'a [u8]),
    /// In a string that only the application's own quote closes.
    OpenString(&'a [u8]),
}

/// What kind of operator came first after the break-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstOperator {
    Logical,
    /// Separates, and says nothing.
    Comma,
    Other,
}

/// What has been met so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// `and`, `or`, or a clause that takes a condition.
    pub(super) logical: bool,
    pub(super) first_operator: Option<FirstOperator>,
    pub(super) comparison: bool,
    /// A comparison whose both sides name no column: always true, or never.
    pub(super) constant_comparison: bool,
    /// The first condition is a bare value, as `1` in `1 or 1=1`.
    pub(super) bare_first_condition: bool,
    pub(super) first_operand_constant: bool,
    /// `is null`, `is not null`.
    pub(super) null_test: bool,
    /// A multiplication.
    pub(super) product: bool,
    pub(super) clause: bool,
    pub(super) variable: bool,
    pub(super) string: bool,
    pub(super) names: usize,
    pub(super) constants: usize,
    pub(super) prefix: bool,
    pub(super) comma: bool,
    /// `like`, `is` and their kind came first after the break-out.
    pub(super) word_operator_first: bool,
    /// Starts with a parenthesis, which encloses more than a name.
    pub(super) opened_first: bool,
    pub(super) parentheses: bool,
    pub(super) unopened: bool,
    /// The value as a whole is a `SELECT`.
    pub(super) whole_select: bool,
    pub(super) select: bool,
    pub(super) from: bool,
    pub(super) limit: bool,
    /// A table in which a database describes itself.
    pub(super) catalog: bool,
    pub(super) case_parts: usize,
    pub(super) environment_function: bool,
    pub(super) sql_function: bool,
    pub(super) common_function: bool,
    /// Calls that are no functions of SQL.
    pub(super) other_function: bool,
    /// `/*! … */`, which only MySQL runs.
    pub(super) conditional_comment: bool,
    calls: bool,
    side: Side,
}

/// One side of a comparison.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    operands: bool,
    names: bool,
    compared_with_constant: bool,
}

impl Evidence {
    pub(super) fn has_operand(&self) -> bool {
        self.names + self.constants > 0 || self.calls
    }

    pub(super) fn constant(&mut self) {
        self.first_operand_constant |= !self.has_operand();
        self.constants = self.constants.saturating_add(1);
        self.side.operands = true;
    }

    pub(super) fn name(&mut self) {
        self.names = self.names.saturating_add(1);
        self.side.operands = true;
        self.side.names = true;
    }

    pub(super) fn operator(&mut self, kind: FirstOperator) {
        self.first_operator.get_or_insert(kind);
    }

    pub(super) fn logical(&mut self) {
        self.close_side();
        if !self.logical {
            self.bare_first_condition = !self.comparison && (self.has_operand() || self.unopened);
        }
        self.logical = true;
    }

    pub(super) fn compare(&mut self) {
        self.close_side_keeping_chain();
        self.comparison = true;
    }

    /// A comparison that says nothing if it is constant.
    pub(super) fn name_compared(&mut self) {
        self.close_side();
        self.comparison = true;
    }

    pub(super) fn close_side(&mut self) {
        self.constant_comparison |=
            self.side.compared_with_constant && self.side.operands && !self.side.names;
        self.side = Side::default();
    }

    fn close_side_keeping_chain(&mut self) {
        let constant = self.side.operands && !self.side.names;
        self.close_side();
        self.side.compared_with_constant = constant;
    }

    pub(super) fn call(&mut self, class: WordClass) {
        self.calls = true;
        self.side.operands = true;
        match class {
            WordClass::EnvironmentFunction => self.environment_function = true,
            WordClass::CommonFunction => self.common_function = true,
            WordClass::Plain => self.other_function = true,
            // `if (` starts lines of most programming languages.
            WordClass::Statement(_) => {}
            _ => self.sql_function = true,
        }
    }

    /// What the value is, if it stands where a number is expected.
    pub(super) fn verdict_bare(&self, ending: Ending<'_>) -> Option<&'static str> {
        let cut_off = matches!(ending, Ending::Comment(text) if is_short(text));
        let constants_only = self.names == 0 && self.constants > 0;
        if self.logical && self.bare_first_condition && self.constant_comparison {
            return Some(rules::BOOLEAN);
        }
        let beside_constant = self.logical && self.first_operand_constant;
        let with_column = self.comparison
            && self.bare_first_condition
            && (cut_off || self.string || self.null_test);
        if beside_constant && with_column {
            return Some(rules::BOOLEAN);
        }
        if self.logical && constants_only && cut_off && !self.comparison {
            return Some(rules::BOOLEAN);
        }
        if self.environment_function
            && !self.other_function
            && (beside_constant || self.sql_function || self.constant_comparison && self.names == 0)
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
            return self.from && (self.common_function || self.catalog || self.limit || constants);
        }
        self.from && constants && (self.common_function || self.parentheses)
    }

    /// What the value is, if it stands in a string that it has left.
    pub(super) fn verdict_broken_out(
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
            None => (cut_off && plain_head).then_some(rules::COMMENT_AFTER_QUOTE),
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
