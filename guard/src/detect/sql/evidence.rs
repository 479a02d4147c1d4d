//! What the walk has met. What follows from it when the value is over, `verdict` says.
//!
//! Must not know: tokens, grammar.

mod verdict;

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
    /// Begins with `and`, `or`, `having`: the operand before it is the application's.
    pub(super) opened_by_logical: bool,
    pub(super) first_operand_constant: bool,
    /// `is null`, `is not null`.
    pub(super) null_test: bool,
    /// An operator between operands that compares nothing.
    pub(super) calculated: bool,
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
    delays: bool,
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
            WordClass::CommonFunction => {
                self.common_function = true;
                // `having count(*) > 1` of a whole statement depends on its rows.
                self.side.names |= self.select;
            }
            WordClass::Plain => self.other_function = true,
            // `if (` starts lines of most programming languages.
            WordClass::Statement(_) => {}
            _ => {
                self.delays |= class == WordClass::DelayFunction;
                self.sql_function = true;
            }
        }
    }
}
