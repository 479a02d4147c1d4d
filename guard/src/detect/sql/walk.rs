//! One walk over the tokens of a value, for as long as they can be the rest of an expression of SQL.
//!
//! What people write stops being SQL at the second or third word: two operands stand side by side. An attack has to be
//! SQL to its end, or the database would refuse it. So the walk is short for most values and linear for all of them.
//!
//! Must not know: what the evidence is worth.

use super::breakout::BreakOut;
use super::evidence::{Ending, Evidence, FirstOperator};
use super::phrases::{self, SelectList, UnionEnd};
use super::rules;
use super::token::Token;
use super::tokenizer::Tokenizer;
use super::words::{Statement, WordClass};
use std::ops::ControlFlow;

/// Goes on, or is over with a rule or none.
type Step = ControlFlow<Option<&'static str>>;

const GO_ON: Step = ControlFlow::Continue(());
const NOT_SQL: Step = ControlFlow::Break(None);

fn found(rule: &'static str) -> Step {
    ControlFlow::Break(Some(rule))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Operand,
    Operator,
}

/// What the last token was, as far as the next one depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    Opening,
    Name,
    Case,
    Comma,
    Keyword,
    Alias,
    Other,
}

/// The walk so far.
#[derive(Debug)]
struct Walk<'a> {
    tokens: Tokenizer<'a>,
    break_out: Option<BreakOut<'a>>,
    expected: Expected,
    last: Last,
    depth: i32,
    /// Inside of a function of SQL, names of columns are no sign of prose; the depth at which it was called.
    function_depth: Option<i32>,
    comments: bool,
    open_string: Option<&'a [u8]>,
    evidence: Evidence,
}

/// The rule that a value falls under if it is put where a number is expected.
pub(super) fn walk_bare(value: &[u8]) -> Option<&'static str> {
    walk(Tokenizer::new(value), None, Expected::Operand)
}

/// The rule that a value falls under if it leaves the string that it is put into.
pub(super) fn walk_broken_out(break_out: BreakOut<'_>) -> Option<&'static str> {
    walk(
        Tokenizer::new(break_out.tail),
        Some(break_out),
        Expected::Operator,
    )
}

fn walk<'a>(
    tokens: Tokenizer<'a>,
    break_out: Option<BreakOut<'a>>,
    expected: Expected,
) -> Option<&'static str> {
    let mut walk = Walk {
        tokens,
        break_out,
        expected,
        last: Last::Nothing,
        depth: 0,
        function_depth: None,
        comments: false,
        open_string: None,
        evidence: Evidence::default(),
    };
    loop {
        let token = walk.tokens.next();
        walk.comments |= walk.tokens.skipped_comment();
        if let ControlFlow::Break(rule) = walk.step(token) {
            return rule;
        }
    }
}

impl<'a> Walk<'a> {
    fn step(&mut self, token: Token<'a>) -> Step {
        match (token, self.expected) {
            (Token::End, _) => ControlFlow::Break(self.verdict(Ending::Plain)),
            (Token::ClosingComment { text }, _) => {
                ControlFlow::Break(self.verdict(Ending::Comment(text)))
            }
            (Token::ClosingParenthesis, _) => self.close(),
            (_, Expected::Operand) => self.operand(token),
            (_, Expected::Operator) => self.operator(token),
        }
    }

    fn verdict(&mut self, ending: Ending<'a>) -> Option<&'static str> {
        self.evidence.close_side();
        self.evidence.conditional_comment = self.tokens.met_conditional_comment();
        let ending = self.open_string.map_or(ending, Ending::OpenString);
        match &self.break_out {
            Some(break_out) => self.evidence.verdict_broken_out(break_out, ending),
            None => self.evidence.verdict_bare(ending),
        }
    }

    fn expect(&mut self, expected: Expected, last: Last) -> Step {
        self.expected = expected;
        self.last = last;
        GO_ON
    }

    fn close(&mut self) -> Step {
        let nothing_yet = !self.evidence.has_operand() && self.evidence.first_operator.is_none();
        if self.expected == Expected::Operand && self.last != Last::Opening && !nothing_yet {
            return NOT_SQL;
        }
        self.depth -= 1;
        self.evidence.unopened |= self.depth < 0;
        if self.function_depth.is_some_and(|depth| self.depth <= depth) {
            self.function_depth = None;
        }
        if self.expected == Expected::Operand && self.last != Last::Opening {
            return GO_ON;
        }
        self.expect(Expected::Operator, Last::Other)
    }

    fn open(&mut self) -> Step {
        let first = self.break_out.is_none() && self.last == Last::Nothing;
        self.evidence.opened_first |= first;
        self.evidence.parentheses = true;
        self.depth += 1;
        self.expect(Expected::Operand, Last::Opening)
    }

    fn constant(&mut self) -> Step {
        self.evidence.constant();
        self.expect(Expected::Operator, Last::Other)
    }

    fn operand(&mut self, token: Token<'a>) -> Step {
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
            WordClass::Value if text.contains(&b'_') && is_function(class, self.tokens) => {
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
            WordClass::Logical if !self.evidence.has_operand() => self.logical(),
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

    fn name(&mut self) -> Step {
        if self.function_depth.is_none() {
            self.evidence.name();
        }
        self.expect(Expected::Operator, Last::Name)
    }

    fn call(&mut self, class: WordClass) -> Step {
        let amid_sql = self.break_out.is_some() && self.evidence.first_operator.is_some()
            || self.evidence.logical
            || self.evidence.select
            || self.evidence.first_operand_constant
            || self.function_depth.is_some();
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
            match phrases::select_list(self.tokens) {
                _ if self.last == Last::Nothing => return NOT_SQL,
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

    fn union(&mut self) -> Step {
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
            Some(SelectList::Certain) => found(rules::UNION_SELECT),
            Some(SelectList::Possible) if certain => found(rules::UNION_SELECT),
            _ if obfuscated => found(rules::COMMENT_OBFUSCATION),
            _ => self.union_at_the_end(),
        }
    }

    /// A union without its `SELECT`, which a filter has taken away or another value brings.
    fn union_at_the_end(&self) -> Step {
        match phrases::union_is_last(self.tokens) {
            Some(UnionEnd::Union) if self.evidence.logical && self.evidence.names == 0 => {
                found(rules::UNION_SELECT)
            }
            Some(UnionEnd::Select) if !self.is_credible() => NOT_SQL,
            Some(UnionEnd::Select) if self.evidence.logical || self.break_out.is_some() => {
                found(rules::UNION_SELECT)
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

    fn operator(&mut self, token: Token<'a>) -> Step {
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
                if self.tokens.skipped_comment() && self.evidence.first_operand_constant =>
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
            WordClass::From | WordClass::Clause => self.clause(class),
            WordClass::Sorting => self.sorting(),
            WordClass::For if self.function_depth.is_some() => {
                self.expect(Expected::Operand, Last::Keyword)
            }
            WordClass::For if phrases::is_update(self.tokens.next()) => GO_ON,
            WordClass::Branch | WordClass::CaseEnd if self.evidence.case_parts > 0 => {
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
                    && phrases::select_list(self.tokens).is_some() =>
            {
                found(rules::SUBSELECT)
            }
            _ if self.evidence.select && self.last != Last::Alias => {
                self.expect(Expected::Operator, Last::Alias)
            }
            _ => NOT_SQL,
        }
    }

    /// The operator between a value and a subselect, hidden in a comment from whoever looks for it.
    fn subselect_after_comment(&self) -> Step {
        if phrases::subselect(self.tokens) {
            found(rules::COMMENT_OBFUSCATION)
        } else {
            NOT_SQL
        }
    }

    /// What stands directly after a quote may be a quotation, of SQL by somebody who writes about it.
    fn is_credible(&self) -> bool {
        match &self.break_out {
            Some(break_out) if self.last == Last::Nothing => {
                break_out.has_plain_head() && !break_out.is_quotation()
            }
            _ => true,
        }
    }

    fn is_directly_after_quote(&self) -> bool {
        self.break_out.is_some() && self.last == Last::Nothing
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
        self.evidence.operator(FirstOperator::Other);
        self.expect(Expected::Operand, Last::Other)
    }

    fn logical(&mut self) -> Step {
        self.evidence.operator(FirstOperator::Logical);
        self.evidence.logical();
        self.expect(Expected::Operand, Last::Other)
    }

    fn clause(&mut self, class: WordClass) -> Step {
        self.evidence.close_side();
        self.evidence.from |= class == WordClass::From;
        self.evidence.clause = true;
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
            Statement::Execute => self.is_credible() && phrases::is_procedure_call(self.tokens),
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
            return found(if first == Statement::WaitFor {
                rules::TIME_DELAY
            } else {
                rules::STACKED_STATEMENT
            });
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
                found(rules::STACKED_STATEMENT)
            }
            Token::Word {
                class: WordClass::Select,
                ..
            } if left && phrases::select_list(tokens).is_some() => found(rules::STACKED_STATEMENT),
            _ => NOT_SQL,
        }
    }
}

/// Whether a word names the character set of the string that follows: `_utf8'…'`.
fn is_introducer(word: &[u8], mut tokens: Tokenizer<'_>) -> bool {
    const CHARACTER_SETS: &[&[u8]] = &[
        b"_utf8", b"_latin", b"_binary", b"_ascii", b"_ucs2", b"_cp", b"_gbk",
    ];
    let named = CHARACTER_SETS.iter().any(|name| {
        word.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    });
    named && matches!(tokens.next(), Token::String { .. })
}

/// Whether the next token makes a call of this word.
fn is_function(class: WordClass, mut tokens: Tokenizer<'_>) -> bool {
    (phrases::is_call(class) || class == WordClass::Value)
        && tokens.next() == Token::OpeningParenthesis
}
