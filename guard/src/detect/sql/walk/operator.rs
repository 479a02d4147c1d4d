//! Where an operator is expected, or a clause, or the next statement.
//!
//! Must not know: what the evidence is worth.

use super::{Expected, GO_ON, Last, NOT_SQL, Step, Walk, found};
use crate::detect::sql::evidence::{Ending, FirstOperator};
use crate::detect::sql::phrases::{self, SelectList};
use crate::detect::sql::rules;
use crate::detect::sql::token::Token;
use crate::detect::sql::words::{Statement, WordClass};
use std::ops::ControlFlow;

impl<'a> Walk<'a> {
    pub(super) fn operator(&mut self, token: Token<'a>) -> Step {
        match token {
            Token::Comparison => self.compare(),
            Token::LogicalSign => self.logical(),
            Token::Star => {
                self.evidence.product = true;
                self.calculate()
            }
            Token::Sign | Token::Arithmetic => self.calculate(),
            Token::Comma => {
                self.evidence.operator(FirstOperator::Comma);
                self.evidence.close_side();
                self.evidence.comma = true;
                self.expect(Expected::Operand, Last::Comma)
            }
            Token::OpeningParenthesis
                if self.tokens.skipped_comment()
                    && self.evidence.first_operand_constant
                    && self.last != Last::Name =>
            {
                self.subselect_after_comment()
            }
            Token::OpeningParenthesis if self.last == Last::Name || self.evidence.select => {
                self.evidence.other_function |= self.last == Last::Name;
                self.open()
            }
            Token::Semicolon => self.semicolon(),
            Token::String { content, closed }
                if self.evidence.select && self.last != Last::Alias =>
            {
                self.open_string = (!closed).then_some(content);
                self.expect(Expected::Operator, Last::Alias)
            }
            // Strings side by side are one.
            Token::String { closed: true, .. } if self.is_directly_after_quote() => GO_ON,
            Token::Word { text, class } => self.operator_word(text, class),
            _ => NOT_SQL,
        }
    }

    fn operator_word(&mut self, text: &[u8], class: WordClass) -> Step {
        match class {
            WordClass::Logical => self.logical(),
            WordClass::Not | WordClass::Sounds => GO_ON,
            WordClass::Operator => self.compare_by_word(text),
            WordClass::Union => self.union(),
            WordClass::From | WordClass::Clause => self.clause(text, class),
            WordClass::Sorting => self.sorting(),
            WordClass::For if self.function_depth.is_some() => {
                self.expect(Expected::Operand, Last::Keyword)
            }
            WordClass::For if phrases::is_update(self.tokens.next()) => GO_ON,
            WordClass::Branch | WordClass::CaseEnd if self.evidence.case_parts > 0 => {
                self.evidence.close_side();
                self.evidence.case_parts += 1;
                let expected = if class == WordClass::Branch {
                    Expected::Operand
                } else {
                    Expected::Operator
                };
                self.expect(expected, Last::Keyword)
            }
            WordClass::Into if self.is_credible() && phrases::into_file(self.tokens) => {
                found(rules::FILE_ACCESS)
            }
            WordClass::Procedure if phrases::procedure_analyse(self.tokens) => {
                found(rules::PROCEDURE_ANALYSE)
            }
            WordClass::Statement(first) => self.statement(first),
            WordClass::Select
                if self.is_directly_after_quote()
                    && self
                        .break_out
                        .is_some_and(|break_out| break_out.quote == b'\'')
                    && self.is_credible()
                    && !self.is_quoted_word()
                    && phrases::select_list(self.tokens).is_some() =>
            {
                found(rules::SUBSELECT)
            }
            _ if self.evidence.select && self.last != Last::Alias => {
                self.expect(Expected::Operator, Last::Alias)
            }
            // The value of a parameter that a list is sorted by.
            _ if self.last == Last::Name && is_direction(text) => {
                self.expect(Expected::Operator, Last::Alias)
            }
            _ => NOT_SQL,
        }
    }

    /// Whether the word is one in quotes, of a list of words: `'select', 'insert'`.
    fn is_quoted_word(&self) -> bool {
        let break_out = self.break_out;
        break_out.is_some_and(|break_out| {
            break_out.may_open_quotation() && self.tokens.is_at(break_out.quote)
        })
    }

    fn compare(&mut self) -> Step {
        self.evidence.operator(FirstOperator::Other);
        self.evidence.compare();
        self.expect(Expected::Operand, Last::Other)
    }

    fn compare_by_word(&mut self, word: &[u8]) -> Step {
        self.evidence.word_operator_first |= self.evidence.first_operator.is_none();
        self.evidence.operator(FirstOperator::Other);
        // "2 and 3 is 5" is arithmetic for children.
        if word.eq_ignore_ascii_case(b"is") {
            self.evidence.name_compared();
        } else {
            self.evidence.compare();
        }
        self.expect(Expected::Operand, Last::Other)
    }

    fn calculate(&mut self) -> Step {
        self.evidence.calculated = true;
        self.evidence.operator(FirstOperator::Other);
        self.expect(Expected::Operand, Last::Other)
    }

    pub(super) fn logical(&mut self) -> Step {
        self.evidence.operator(FirstOperator::Logical);
        self.evidence.logical();
        self.expect(Expected::Operand, Last::Other)
    }

    pub(super) fn clause(&mut self, text: &[u8], class: WordClass) -> Step {
        self.evidence.close_side();
        self.evidence.from |= class == WordClass::From;
        self.evidence.clause = true;
        // In a statement of its own, `WHERE 1=1` is how people build conditions.
        if !self.evidence.select && text.eq_ignore_ascii_case(b"having") {
            self.evidence.operator(FirstOperator::Logical);
            self.evidence.logical();
        }
        self.evidence.limit |= class == WordClass::Clause;
        self.expect(Expected::Operand, Last::Keyword)
    }

    fn sorting(&mut self) -> Step {
        if self.tokens.next().class() != Some(WordClass::By) {
            return NOT_SQL;
        }
        if let Some(columns) = phrases::column_numbers(self.tokens) {
            let left = self.break_out.is_some() || self.evidence.unopened;
            if !self.evidence.select && (columns.cut_off || left || columns.count > 2) {
                return found(rules::ORDER_BY_PROBE);
            }
        }
        self.evidence.close_side();
        self.evidence.clause = true;
        self.evidence.logical();
        self.expect(Expected::Operand, Last::Keyword)
    }

    fn statement(&mut self, first: Statement) -> Step {
        let left = self.is_directly_after_quote()
            || self.break_out.is_none() && self.evidence.first_operand_constant;
        let certain = match first {
            Statement::WaitFor => self.is_credible() && phrases::is_statement(first, self.tokens),
            Statement::Execute => {
                self.is_credible()
                    && (phrases::is_procedure_call(self.tokens)
                        || self.is_directly_after_quote() && phrases::names_procedure(self.tokens))
            }
            Statement::Use => false,
            Statement::If => {
                self.break_out.is_some()
                    && left
                    && self.is_credible()
                    && phrases::is_statement(first, self.tokens)
            }
            _ => left && self.is_credible() && phrases::is_statement(first, self.tokens),
        };
        if !self.evidence.select && certain {
            return found(rule_of(first));
        }
        NOT_SQL
    }

    fn semicolon(&mut self) -> Step {
        let mut tokens = self.tokens;
        let left = self.break_out.is_some()
            || self.evidence.has_operand()
                && !self.evidence.select
                && (self.evidence.logical || !self.evidence.comparison)
            || self.evidence.opened_first;
        match tokens.next() {
            Token::End => ControlFlow::Break(self.verdict(Ending::Plain)),
            Token::ClosingComment { text } => {
                ControlFlow::Break(self.verdict(Ending::Comment(text)))
            }
            Token::Word {
                class: WordClass::Statement(first),
                ..
            } if left
                && (first != Statement::Shutdown
                    || self.break_out.is_some()
                    || self.evidence.first_operand_constant)
                && phrases::is_statement(first, tokens) =>
            {
                found(rule_of(first))
            }
            Token::Word {
                class: WordClass::Select,
                ..
            } if left && phrases::select_list(tokens).is_some() => found(rules::STACKED_STATEMENT),
            Token::OpeningParenthesis
                if left && phrases::union_select(tokens) == Some(SelectList::Certain) =>
            {
                found(rules::STACKED_STATEMENT)
            }
            _ => NOT_SQL,
        }
    }
}

fn is_direction(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"asc") || word.eq_ignore_ascii_case(b"desc")
}

pub(super) fn rule_of(statement: Statement) -> &'static str {
    match statement {
        Statement::WaitFor => rules::TIME_DELAY,
        _ => rules::STACKED_STATEMENT,
    }
}
