//! What a value can be at all, by one pass over its bytes: nearly all values can be nothing.
//!
//! Must not know: the rules.

const ANGLE: u8 = 1;
const COLON: u8 = 2;
/// Starts of character references: `javascript&colon;`.
const AMPERSAND: u8 = 4;
/// What calls, assigns, or ends a template.
const CODE: u8 = 8;

const CLASSES: [u8; 256] = classes();

#[expect(clippy::indexing_slicing, reason = "by literals, when compiling")]
const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    classes[b'<' as usize] = ANGLE;
    classes[b':' as usize] = COLON;
    classes[b'&' as usize] = AMPERSAND;
    classes[b'(' as usize] = CODE;
    classes[b'`' as usize] = CODE;
    classes[b'=' as usize] = CODE;
    classes
}

/// The classes of bytes that a value has.
#[derive(Clone, Copy)]
pub(super) struct FirstLook(u8);

impl FirstLook {
    pub(super) fn of(value: &[u8]) -> Self {
        let class = |byte: &u8| CLASSES.get(usize::from(*byte)).copied().unwrap_or_default();
        Self(value.iter().map(class).fold(0, std::ops::BitOr::bitor))
    }

    pub(super) fn is_ordinary(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has_tags(self) -> bool {
        self.0 & ANGLE != 0
    }

    /// A URL that runs code names a scheme.
    pub(super) fn has_urls(self) -> bool {
        self.0 & (COLON | AMPERSAND) != 0
    }

    /// Whether anything is called or assigned.
    pub(super) fn has_code(self) -> bool {
        self.0 & CODE != 0
    }
}
