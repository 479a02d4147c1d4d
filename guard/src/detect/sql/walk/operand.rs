//! Where an operand is expected: values, names, calls, and what may stand in front of them.
//!
//! Must not know: what the evidence is worth.

use super::operator::rule_of;
use super::{Expected, GO_ON, Last, NOT_SQL, Step, Walk, found, is_function};
use crate::detect::sql::phrases::{self, SelectList};
use crate::detect::sql::rules;
use crate::detect::sql::token::Token;
use crate::detect::sql::tokenizer::Tokenizer;
use crate::detect::sql::words::{Statement, WordClass};

impl<'a> Walk<'a> {
    pub(super) fn operand(&mut self, token: Token<'a>) -> Step {
        match token {
            Token::Number => self.constant(),
            Token::String { content, closed } => {
                self.evidence.string = true;
                self.open_string = (!closed).then_some(content);
                self.constant()
            }
            Token::Variable { system } => {
                self.evidence.variable = true;
                self.evidence.environment_function |= system;
                self.constant()
            }
            Token::OpeningParenthesis => self.open(),
            Token::Sign | Token::Negation => GO_ON,
            Token::Semicolon if self.break_out.is_none() && self.last == Last::Nothing => {
                self.opening_semicolon()
            }
            Token::Star if self.evidence.select || self.last == Last::Opening => {
                self.expect(Expected::Operator, Last::Other)
            }
            Token::Word { text, class } => self.operand_word(text, class),
            _ => NOT_SQL,
        }
    }

    fn operand_word(&mut self, text: &[u8], class: WordClass) -> Step {
        match class {
            WordClass::Plain if is_introducer(text, self.tokens) => GO_ON,
            WordClass::Value if !is_literal(text) && is_function(class, self.tokens) => {
                self.call(WordClass::EnvironmentFunction)
            }
            WordClass::Value => {
                self.evidence.environment_function |= text.contains(&b'_')
                    && (self.break_out.is_some() || text.to_ascii_lowercase().ends_with(b"user"));
                self.evidence.null_test |=
                    self.evidence.comparison && text.eq_ignore_ascii_case(b"null");
                self.constant()
            }
            WordClass::Not => GO_ON,
            WordClass::Prefix => {
                self.evidence.prefix = true;
                self.expect(Expected::Operand, Last::Keyword)
            }
            WordClass::Case => {
                self.evidence.case_parts += 1;
                self.expect(Expected::Operand, Last::Case)
            }
            WordClass::Branch if self.last == Last::Case => {
                self.evidence.case_parts += 1;
                self.expect(Expected::Operand, Last::Keyword)
            }
            WordClass::Logical if !self.evidence.has_operand() => {
                self.evidence.opened_by_logical |= self.is_first();
                self.logical()
            }
            WordClass::Clause if self.is_first() && text.eq_ignore_ascii_case(b"having") => {
                self.evidence.opened_by_logical = true;
                self.clause(text, class)
            }
            WordClass::Sorting if self.is_first() => self.opening_sorting(),
            WordClass::Select => self.select(),
            WordClass::Union => self.union(),
            WordClass::By if self.last == Last::Keyword => GO_ON,
            WordClass::Statement(first)
                if self.last == Last::Nothing && !is_function(class, self.tokens) =>
            {
                self.opening_statement(first)
            }
            _ if phrases::is_call(class) && is_function(class, self.tokens) => self.call(class),
            WordClass::From
            | WordClass::Clause
            | WordClass::Sorting
            | WordClass::Into
            | WordClass::Logical => NOT_SQL,
            _ => {
                self.evidence.catalog |= class == WordClass::Catalog;
                self.name()
            }
        }
    }

    fn call(&mut self, class: WordClass) -> Step {
        let amid_sql = self.break_out.is_some() && self.evidence.first_operator.is_some()
            || self.evidence.logical
            || self.evidence.select
            || self.evidence.first_operand_constant
            || self.function_depth.is_some()
                && (self.evidence.sql_function
                    || self.evidence.common_function
                    || self.evidence.comma && self.evidence.constant_comparison);
        match class {
            WordClass::DelayFunction if amid_sql => return found(rules::TIME_DELAY),
            WordClass::DangerousFunction if amid_sql => return found(rules::DANGEROUS_FUNCTION),
            _ => {}
        }
        self.evidence.call(class);
        self.tokens.next();
        self.function_depth.get_or_insert(self.depth);
        self.depth += 1;
        self.expect(Expected::Operand, Last::Opening)
    }

    fn select(&mut self) -> Step {
        let left =
            self.evidence.has_operand() || self.break_out.is_some() || self.evidence.unopened;
        if left && !self.evidence.whole_select {
            let after_operator = self.last != Last::Comma && self.evidence.first_operator.is_some();
            let amid_sql = self.evidence.first_operand_constant
                || self.evidence.logical && !self.evidence.other_function;
            let amid_condition = self.evidence.first_operand_constant || self.evidence.logical;
            let mut tokens = self.tokens;
            let next = tokens.next();
            match phrases::select_list(self.tokens) {
                _ if self.last == Last::Nothing => return NOT_SQL,
                // A variable of a programming language between two texts.
                _ if self.break_out.is_none()
                    && self.last == Last::Other
                    && next == Token::Sign =>
                {
                    return NOT_SQL;
                }
                Some(SelectList::Certain)
                    if self.last == Last::Opening || self.break_out.is_some() || amid_condition =>
                {
                    return found(rules::SUBSELECT);
                }
                Some(SelectList::Possible)
                    if after_operator && amid_sql || self.break_out.is_some() =>
                {
                    return found(rules::SUBSELECT);
                }
                _ if self.last != Last::Opening => return NOT_SQL,
                _ => {}
            }
        }
        self.evidence.whole_select |= !self.evidence.has_operand();
        self.evidence.select = true;
        self.expect(Expected::Operand, Last::Keyword)
    }

    /// Whether nothing has been read of what would follow a number of the application.
    fn is_first(&self) -> bool {
        self.break_out.is_none() && self.last == Last::Nothing && !self.evidence.unopened
    }

    /// `order by 7--`, with which the application's number goes on.
    fn opening_sorting(&mut self) -> Step {
        let columns = match self.tokens.next().class() {
            Some(WordClass::By) => phrases::column_numbers(self.tokens),
            _ => None,
        };
        match columns {
            Some(columns) if columns.cut_off => found(rules::ORDER_BY_PROBE),
            _ => NOT_SQL,
        }
    }

    /// `; drop table x`: the application's own value stands before it. Comments of assembly and the like begin so, too; so
    /// words of theirs start no statement here.
    fn opening_semicolon(&mut self) -> Step {
        let mut tokens = self.tokens;
        match tokens.next().class() {
            Some(WordClass::Statement(first))
                if is_of_databases_only(first) && phrases::is_statement(first, tokens) =>
            {
                found(rule_of(first))
            }
            Some(WordClass::Select)
                if phrases::select_list(tokens) == Some(SelectList::Certain) =>
            {
                found(rules::STACKED_STATEMENT)
            }
            _ => NOT_SQL,
        }
    }

    fn opening_statement(&mut self, first: Statement) -> Step {
        let own = match first {
            Statement::Execute => phrases::is_procedure_call(self.tokens),
            Statement::Declare => phrases::is_hidden_statement(self.tokens),
            _ => false,
        };
        if own {
            found(rules::PROCEDURE_CALL)
        } else {
            NOT_SQL
        }
    }
}

/// Whether no other language has statements that begin so.
fn is_of_databases_only(statement: Statement) -> bool {
    matches!(
        statement,
        Statement::Alter
            | Statement::Create
            | Statement::Declare
            | Statement::Delete
            | Statement::Drop
            | Statement::Execute
            | Statement::Insert
            | Statement::Truncate
            | Statement::Update
            | Statement::WaitFor
    )
}

/// Whether a word names the character set of the string that follows: `_utf8'…'`.
fn is_introducer(word: &[u8], mut tokens: Tokenizer<'_>) -> bool {
    const CHARACTER_SETS: &[&[u8]] = &[
        b"_utf8", b"_latin", b"_binary", b"_ascii", b"_ucs2", b"_cp", b"_gbk",
    ];
    if word.first() != Some(&b'_') {
        return false;
    }
    let named = CHARACTER_SETS.iter().any(|name| {
        word.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    });
    named && matches!(tokens.next(), Token::String { .. })
}

/// Whether a value word is one that programming languages have, too.
fn is_literal(word: &[u8]) -> bool {
    const LITERALS: &[&[u8]] = &[b"null", b"true", b"false", b"unknown"];
    LITERALS
        .iter()
        .any(|literal| word.eq_ignore_ascii_case(literal))
}
