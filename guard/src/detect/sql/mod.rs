//! SQL injection in one decoded value.
//!
//! A value is dangerous if an application that pastes it into a statement gets a statement of other meaning. So a value
//! is read as the rest of an expression: where a number is expected (`walk::walk_bare`), and after the first quote, as if
//! the application had put it into a string (`walk::walk_broken_out`). Reading stops where the value can no longer be SQL,
//! which in what people write is soon: two words side by side. Only what is SQL to its end, or to a phrase that leaves no
//! doubt, falls under a rule. Keywords alone, and whole statements that leave no string and complete no expression, fall
//! under none: people write about SQL.
//!
//! The shapes of injections are those of the OWASP Web Security Testing Guide (WSTG-INPV-05), the manual of sqlmap
//! (boundaries and payloads), and the documentation of libinjection, whose fingerprints were not taken over: a
//! fingerprint tells nobody why.
//!
//! Must not know: where the value comes from, other detectors.
mod breakout;
mod dictionary;
mod evidence;
mod first_look;
mod phrases;
mod rules;
#[cfg(test)]
mod tests;
mod token;
mod tokenizer;
mod walk;
mod words;

use breakout::{break_out, break_out_after_escapes};
pub(super) use first_look::needs;
use memchr::memchr2;

/// The ids of all rules, which `rules` describes.
pub(super) const RULES: &[&str] = rules::ALL;

/// The rule that finds an injection of SQL in a value.
pub(super) fn inspect(value: &[u8]) -> Option<&'static str> {
    if !first_look::may_hold_sql(value) {
        return None;
    }
    walk::walk_bare(value).or_else(|| inspect_broken_out(value))
}

/// The rule, if the value is put into a string of an application.
fn inspect_broken_out(value: &[u8]) -> Option<&'static str> {
    memchr2(b'\'', b'"', value)?;
    inspect_in_quotes(b'\'', value).or_else(|| inspect_in_quotes(b'"', value))
}

fn inspect_in_quotes(quote: u8, value: &[u8]) -> Option<&'static str> {
    break_out(quote, value)
        .and_then(walk::walk_broken_out)
        .or_else(|| break_out_after_escapes(quote, value).and_then(walk::walk_broken_out))
}
