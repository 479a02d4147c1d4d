//! How far a path goes up.
//!
//! Must not know: what it reaches.

/// From `../` on, real paths in pages and programs go up so many folders; more are meant to reach the root, however deep they
/// begin.
const LONGEST_RELATIVE: usize = 5;

/// What the segments of a text between spaces say, of the one that climbs most.
#[derive(Debug, Default)]
pub(super) struct Climb {
    /// Steps up, all together.
    pub(super) ups: usize,
    /// Steps up that are written so that a filter does not see them.
    pub(super) disguised: bool,
    /// Steps up in a row, the most.
    longest: usize,
    /// Below what the whole value, if it is a path, begins with.
    below: usize,
    kind: Kind,
}

/// What a value is as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// Text with spaces in it, or with quotes and brackets, may hold a path of any kind.
    #[default]
    Text,
    Absolute,
    /// Begins with a name.
    Named,
    /// Begins with `..`.
    Up,
}

impl Climb {
    pub(super) fn of(value: &[u8]) -> Self {
        let mut climb = Self {
            kind: Kind::of(value),
            ..Self::default()
        };
        let (mut depth, mut run) = (0_usize, 0_usize);
        let mut segments = value.split(|byte| is_slash(*byte)).peekable();
        while let Some(segment) = segments.next() {
            // A step up at the end of the path is one as well, a text's two dots at its end are not.
            let has_slash = segments.peek().is_some() || run > 0 || climb.kind == Kind::Absolute;
            match segment {
                b"" | b"." => {}
                _ if has_slash && is_up(segment, segments.peek().copied()) => {
                    climb.disguised |= is_disguised(segment, segments.peek().copied());
                    climb.ups += 1;
                    run += 1;
                    match depth.checked_sub(1) {
                        Some(above) => depth = above,
                        None => climb.below += 1,
                    }
                }
                _ => {
                    // `file=../x` and `("../x")` begin a path as well.
                    run = usize::from(ends_up(segment) && has_slash);
                    climb.ups += run;
                    depth += 1;
                }
            }
            climb.longest = climb.longest.max(run);
        }
        climb
    }

    /// Whether it goes further up than there is anything.
    pub(super) fn leaves(&self) -> bool {
        let allowed = match self.kind {
            Kind::Text => return self.longest > LONGEST_RELATIVE,
            Kind::Absolute => 0,
            Kind::Named => 1,
            Kind::Up => 3,
        };
        self.below > allowed || self.longest > LONGEST_RELATIVE
    }
}

impl Kind {
    fn of(value: &[u8]) -> Self {
        let is_path = value.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || *byte >= 0x80 || b"/\\.-_~%+;:@=".contains(byte)
        });
        match value {
            _ if !is_path => Self::Text,
            [b'.', b'.', ..] | [b'.', b'/' | b'\\', ..] => Self::Up,
            [b'/' | b'\\', ..] => Self::Absolute,
            _ => Self::Named,
        }
    }
}

pub(super) fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

/// `..`, also with a path parameter, or as what is left when `../` is taken out.
fn is_up(segment: &[u8], next: Option<&[u8]>) -> bool {
    matches!(segment, b".." | b"....") || is_disguised(segment, next)
}

/// `..;/`, and `....//` and `..././`, which become `../` when `../` is taken out once. Dots alone may be a pause.
fn is_disguised(segment: &[u8], next: Option<&[u8]>) -> bool {
    match segment {
        b"...." => next == Some(b""),
        b"..." => next == Some(b"."),
        _ => segment.starts_with(b"..;"),
    }
}

fn ends_up(segment: &[u8]) -> bool {
    match segment.split_last_chunk::<3>() {
        Some((_, [before, b'.', b'.'])) => !before.is_ascii_alphanumeric() && *before != b'.',
        _ => false,
    }
}
