//! One walk over the tokens of a value, for as long as they can be the rest of an expression of SQL.
//!
//! What people write stops being SQL at the second or third word: two operands stand side by side. An attack has to be
//! SQL to its end, or the database would refuse it. So the walk is short for most values and linear for all of them.
//!
//! Must not know: what the evidence is worth.

mod operand;
mod operator;
mod union;

use super::breakout::BreakOut;
use super::evidence::{Ending, Evidence};
use super::phrases;
use super::token::Token;
use super::tokenizer::Tokenizer;
use super::words::WordClass;
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

    fn name(&mut self) -> Step {
        if self.function_depth.is_none() {
            self.evidence.name();
        }
        self.expect(Expected::Operator, Last::Name)
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
}

/// Whether the next token makes a call of this word.
fn is_function(class: WordClass, mut tokens: Tokenizer<'_>) -> bool {
    (phrases::is_call(class) || class == WordClass::Value)
        && tokens.next() == Token::OpeningParenthesis
}
