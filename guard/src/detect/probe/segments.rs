//! A path in segments, tidied as servers do that a probe is meant for.
//!
//! Must not know: what is looked for.

use smallvec::SmallVec;

/// Longer paths are kept on the heap.
const INLINE_BYTES: usize = 256;
/// Paths of more segments are.
const INLINE_SEGMENTS: usize = 16;

pub(super) type Segments<'a> = SmallVec<[&'a [u8]; INLINE_SEGMENTS]>;

/// A path in lower case.
pub(super) struct Lowercase(SmallVec<[u8; INLINE_BYTES]>);

impl Lowercase {
    pub(super) fn of(path: &[u8]) -> Self {
        let mut path = SmallVec::from_slice(path);
        path.make_ascii_lowercase();
        Self(path)
    }

    /// Its segments without empty ones and dots; two dots take back the one before them.
    pub(super) fn segments(&self) -> Segments<'_> {
        let mut segments = Segments::new();
        for segment in self.0.split(|byte| matches!(byte, b'/' | b'\\')) {
            match tidy(segment) {
                b"" | b"." => {}
                b".." => {
                    segments.pop();
                }
                name => segments.push(name),
            }
        }
        segments
    }
}

/// A segment without path parameters (`;jsessionid=1`: Tomcat cuts them off), without what follows a null byte (C programs stop
/// there), and without spaces and control characters at its end (Windows drops them).
fn tidy(segment: &[u8]) -> &[u8] {
    let end = segment.iter().position(|byte| matches!(byte, b';' | 0));
    let name = end.and_then(|end| segment.get(..end)).unwrap_or(segment);
    name.trim_ascii_end()
}
