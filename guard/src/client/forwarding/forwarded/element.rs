//! One element: pairs of a name and a value, one of which says for whom the request was forwarded.
//!
//! Must not know: what a node looks like.

use super::{
    super::hop::trim_blanks,
    value::{self, Value},
};

/// The value of the one pair that is named `for`; `None` if there is none or two, or if the element breaks the grammar anywhere.
pub(super) fn node(element: &[u8]) -> Option<Value<'_>> {
    let mut node = None;
    let mut rest = element;
    loop {
        let (pair, after) = take_pair(trim_blanks(rest))?;
        if let Some(value) = pair.and_then(Pair::into_node)
            && node.replace(value).is_some()
        {
            return None;
        }
        match trim_blanks(after) {
            [] => return node,
            [b';', next @ ..] => rest = next,
            _ => return None,
        }
    }
}

struct Pair<'a> {
    name: &'a [u8],
    value: Value<'a>,
}

impl<'a> Pair<'a> {
    /// Names are compared in any case: RFC 7239, section 4.
    fn into_node(self) -> Option<Value<'a>> {
        self.name.eq_ignore_ascii_case(b"for").then_some(self.value)
    }
}

/// The pair with which the text begins, if it is not empty, and what follows it.
fn take_pair(text: &[u8]) -> Option<(Option<Pair<'_>>, &[u8])> {
    if matches!(text, [] | [b';', ..]) {
        return Some((None, text));
    }
    let (name, after) = value::take_token(text)?;
    let (value, after) = value::take(after.strip_prefix(b"=")?)?;
    Some((Some(Pair { name, value }), after))
}
