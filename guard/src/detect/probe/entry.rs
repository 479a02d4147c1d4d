//! An entry of `paths.txt`. The file says at its top how they are written.
//!
//! Must not know: how entries are found.

/// What a path has to have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    rule: &'static str,
    /// The path has to begin with it.
    at_root: bool,
    /// Whole segments, one after the other.
    names: Vec<&'static str>,
    end: End,
}

/// What comes after the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Anything,
    /// The next segment begins so.
    Beginning(&'static str),
    /// The last segment of the path ends so.
    Ending(&'static str),
}

impl Entry {
    /// `None` for what is no entry: nothing but stars and slashes, capital letters, an ending without a dot.
    pub(super) fn parse(rule: &'static str, line: &'static str) -> Option<Self> {
        let (at_root, text) = match line.strip_prefix('/') {
            Some(text) => (true, text),
            None => (false, line),
        };
        let (names, end) = match text.split_once('*') {
            None => (text, End::Anything),
            Some((before, "")) => {
                let (names, beginning) = before.rsplit_once('/').unwrap_or(("", before));
                (names, End::Beginning(beginning))
            }
            Some((before, ending)) => (before.trim_end_matches('/'), End::Ending(ending)),
        };
        let names: Vec<_> = names.split('/').filter(|name| !name.is_empty()).collect();
        let is_fine = match end {
            End::Anything => !names.is_empty(),
            End::Beginning(beginning) => !beginning.is_empty(),
            End::Ending(ending) => ending.starts_with('.'),
        };
        let is_lowercase = !line.bytes().any(|byte| byte.is_ascii_uppercase());
        (is_fine && is_lowercase).then_some(Self {
            rule,
            at_root,
            names,
            end,
        })
    }

    pub(super) fn rule(&self) -> &'static str {
        self.rule
    }

    pub(super) fn first_name(&self) -> Option<&'static str> {
        self.names.first().copied()
    }

    pub(super) fn end(&self) -> End {
        self.end
    }

    /// Whether the path has it with the first name, or the beginning, in segment `at`. An ending without names is looked for
    /// at the last segment.
    pub(super) fn matches(&self, path: &[&[u8]], at: usize) -> bool {
        if self.at_root && at != 0 {
            return false;
        }
        let Some((names, rest)) = path
            .get(at..)
            .and_then(|path| path.split_at_checked(self.names.len()))
        else {
            return false;
        };
        let named = names.iter().zip(&self.names);
        named.into_iter().all(|(one, name)| *one == name.as_bytes()) && self.ends(rest)
    }

    fn ends(&self, rest: &[&[u8]]) -> bool {
        match self.end {
            End::Anything => true,
            End::Beginning(text) => rest
                .first()
                .is_some_and(|next| next.starts_with(text.as_bytes())),
            End::Ending(text) => rest
                .last()
                .is_some_and(|last| last.ends_with(text.as_bytes())),
        }
    }

    /// See `Match::is_named_by`.
    pub(super) fn is_named_by(&self, pattern: &str) -> bool {
        pattern_segments(pattern).any(|segment| {
            // What is literal after the last dynamic part; all of it in a literal segment.
            let literal = segment.rsplit('}').next().unwrap_or(segment);
            let literal = literal.to_ascii_lowercase();
            let is_whole = literal.len() == segment.len();
            match self.end {
                End::Ending(text) if literal.ends_with(text) => true,
                End::Beginning(text) if is_whole && literal.starts_with(text) => true,
                _ => is_whole && self.names.contains(&literal.as_str()),
            }
        })
    }
}

/// The segments of a route's pattern, split at slashes outside of braces. A `*` at the end belongs to the last segment.
fn pattern_segments(pattern: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    pattern.split(move |character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == '/' && depth == 0
    })
}
