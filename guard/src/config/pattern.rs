//! Whether a text is a route pattern that actix accepts: its own constructor panics on one that isn't.
//!
//! Must not know: routes, quotas, or where the pattern was written. Regular expressions in patterns are not checked.

/// actix refuses more.
const MAX_DYNAMIC_SEGMENTS: usize = 16;

/// What a pattern must do and does not, in words that follow "must".
pub(super) fn check(pattern: &str) -> Result<(), &'static str> {
    if !pattern.starts_with('/') {
        return Err("begin with \"/\"");
    }
    let mut names = Vec::new();
    let mut rest = pattern;
    while let Some((constant, segment, after)) = next_segment(rest)? {
        check_constant(constant)?;
        let name = segment_name(segment, after)?;
        if names.contains(&name) {
            return Err("not name two segments alike");
        }
        names.push(name);
        rest = after.strip_prefix('*').unwrap_or(after);
    }
    check_constant(rest)?;
    if rest.ends_with('*') {
        return Err("give its tail a name, as in \"{tail}*\"");
    }
    if names.len() > MAX_DYNAMIC_SEGMENTS {
        return Err("have at most 16 dynamic segments");
    }
    Ok(())
}

/// The text before the next dynamic segment, the inside of its braces, and the text after it.
fn next_segment(rest: &str) -> Result<Option<(&str, &str, &str)>, &'static str> {
    let Some((constant, opened)) = rest.split_once('{') else {
        return Ok(None);
    };
    let (segment, after) = closing_brace(opened)
        .and_then(|index| opened.split_at_checked(index))
        .ok_or(UNBALANCED)?;
    let after = after.strip_prefix('}').unwrap_or(after);
    Ok(Some((constant, segment, after)))
}

const UNBALANCED: &str = "have balanced braces";

/// Where the brace that is already open is closed; a regular expression may hold pairs of its own.
fn closing_brace(opened: &str) -> Option<usize> {
    let mut depth = 1_usize;
    opened.find(|char| {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

fn check_constant(constant: &str) -> Result<(), &'static str> {
    if constant.contains('}') {
        return Err(UNBALANCED);
    }
    Ok(())
}

fn segment_name<'a>(segment: &'a str, after: &str) -> Result<&'a str, &'static str> {
    let (name, has_regex) = match segment.split_once(':') {
        Some((name, _)) => (name, true),
        None => (segment, false),
    };
    if !is_name(name) {
        return Err("name its segments by letters, digits and \"_\", as in \"{id}\"");
    }
    if after.starts_with('*') {
        if after != "*" {
            return Err("have its tail segment at the end");
        }
        if has_regex {
            return Err("have a tail segment without a regular expression");
        }
    }
    Ok(name)
}

/// Names of segments are names of regex groups.
fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars
        .next()
        .is_some_and(|char| char == '_' || char.is_alphabetic());
    first && chars.all(|char| char.is_alphanumeric() || matches!(char, '_' | '.' | '[' | ']'))
}

#[cfg(test)]
mod tests {
    use actix_web::dev::ResourceDef;
    use proptest::prelude::*;

    use super::*;

    fn segments(count: usize) -> String {
        (0..count).map(|number| format!("/{{s{number}}}")).collect()
    }

    #[test]
    fn patterns_that_actix_takes() {
        let sixteen = segments(16);
        let patterns = [
            "/",
            "/login",
            "/users/{id}",
            "/users/{id}/posts/{post_id}",
            "/{a}-{b}.{ext}",
            r"/users/{id:\d+}",
            r"/users/{id:\d{2,3}}/x",
            "/files/{tail}*",
            "/{_}",
            "/a*b",
            "/with space/ä",
            &sixteen,
        ];
        for pattern in patterns {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
            let _ = ResourceDef::new(pattern);
        }
    }

    #[test]
    fn patterns_that_are_refused() {
        let seventeen = segments(17);
        let cases = [
            ("", "begin"),
            ("login", "begin"),
            ("{id}", "begin"),
            ("/{id", "braces"),
            ("/id}", "braces"),
            ("/{a}}", "braces"),
            ("/{a{b}", "braces"),
            (r"/{id:\d{2}", "braces"),
            ("/{}", "letters"),
            ("/{:.*}", "letters"),
            ("/{1a}", "letters"),
            ("/{a b}", "letters"),
            ("/{a-b}", "letters"),
            ("/{a{b}}", "letters"),
            ("/{id}/{id}", "alike"),
            ("/{tail}*/x", "at the end"),
            ("/{tail}**", "at the end"),
            ("/{tail:.+}*", "regular expression"),
            ("/static/*", "name"),
            ("/*", "name"),
            ("/{id}/*", "name"),
            (&seventeen, "16"),
        ];
        for (pattern, reason) in cases {
            let message = check(pattern).unwrap_err();
            assert!(message.contains(reason), "{pattern}: {message}");
        }
    }

    proptest! {
        #[test]
        fn actix_does_not_panic_on_what_is_accepted(pattern in r"/([{}ab_1/*-]|\{[ab]\}){0,12}") {
            if check(&pattern).is_ok() {
                let _ = ResourceDef::new(pattern.as_str());
            }
        }
    }
}
