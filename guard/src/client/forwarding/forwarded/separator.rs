//! Where one element ends and the next begins, found from the right.
//!
//! Not from the left, as a parser of the whole line would: a quote that an untrusted sender leaves open, or a backslash at the end,
//! must not swallow what a trusted proxy appends. From the right, an appended element is complete before anything to the
//! left of it has been looked at.
//!
//! Must not know: what an element says.

use std::iter;

/// The elements of a line from the right. They may be empty, and the last one given is malformed if its quotes are.
pub(super) fn elements_from_right(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    iter::from_fn(move || {
        let (left, element) = split_last_element(rest?);
        rest = left;
        Some(element)
    })
}

/// What stands to the left of the last comma that is not quoted, and what to the right.
fn split_last_element(line: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let split = last_separator(line).and_then(|comma| line.split_at_checked(comma));
    match split {
        Some((left, [_comma, element @ ..])) => (Some(left), element),
        _ => (None, line),
    }
}

/// Going backwards, a quote outside of a quoted string closes one, and the next that is not part of a quoted-pair opens it.
fn last_separator(line: &[u8]) -> Option<usize> {
    let mut quoted = false;
    for (position, byte) in line.iter().enumerate().rev() {
        match byte {
            b',' if !quoted => return Some(position),
            b'"' if !quoted => quoted = true,
            b'"' if !is_escaped(line, position) => quoted = false,
            _ => {}
        }
    }
    None
}

/// Whether an odd number of backslashes stands before the position: pairs of them stand for themselves. Every run is counted
/// for one quote only, so that a line takes time in its length.
fn is_escaped(line: &[u8], position: usize) -> bool {
    let before = line.get(..position).unwrap_or_default();
    let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    backslashes.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(line: &str) -> Vec<&str> {
        elements_from_right(line.as_bytes())
            .map(|element| std::str::from_utf8(element).unwrap())
            .collect()
    }

    #[test]
    fn commas_separate_outside_of_quotes() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[""]),
            ("a", &["a"]),
            (",", &["", ""]),
            ("a,b", &["b", "a"]),
            ("a, b ,", &["", " b ", "a"]),
            (r#"a,x="b,c",d"#, &["d", r#"x="b,c""#, "a"]),
            (r#"a,x="b\",c""#, &[r#"x="b\",c""#, "a"]),
            (r#"a,x="b\\",c"#, &["c", r#"x="b\\""#, "a"]),
            (r#"a,x="b\\\",c",d"#, &["d", r#"x="b\\\",c""#, "a"]),
            (r#"a,x="\"",y="\\\"""#, &[r#"y="\\\"""#, r#"x="\"""#, "a"]),
        ];
        for (line, expected) in cases {
            assert_eq!(elements(line), *expected, "{line}");
        }
    }

    #[test]
    fn what_stands_left_does_not_reach_over_a_comma() {
        for left in [
            r#"""#,
            r#"x=""#,
            r"\",
            r#"x="\"#,
            r#"x="a\""#,
            r#""""#,
            r#"\""#,
        ] {
            let line = format!(r#"{left},for=a;x="b\",c",for=d"#);
            let found = elements(&line);
            assert_eq!(found.get(..2), Some(&["for=d", r#"for=a;x="b\",c""#][..]));
        }
    }

    #[test]
    fn an_open_quote_takes_all_that_stands_left_of_it() {
        for line in [r#"a,b,c""#, r#"a,b,x="c"#, r#"a,b\"c""#] {
            assert_eq!(elements(line), [line]);
        }
    }
}
