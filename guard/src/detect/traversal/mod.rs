//! Ways out of a folder: chains of `../`, files that everybody knows, null bytes, and wrappers that read files.
//!
//! Relative paths are honest as long as they stay somewhere: `../docs/readme.md`, `a/../b`, an import from `../../lib`.
//! Sources: CWE-22 to CWE-40, the OWASP Testing Guide (WSTG-ATHZ-01), rules 930100 to 930130 of the OWASP CRS, and the PHP manual on
//! wrappers.
//! Must not know: where a value is from, or how it was decoded.

mod climb;
mod files;
mod null;
mod overlong;
#[cfg(test)]
mod tests;
mod wrapper;

use super::bytes::ByteSet;

use climb::Climb;

/// See the functions that give them.
pub(super) const RULES: &[&str] = &[CLIMB, FILE, DISGUISED, OVERLONG, NULL_BYTE, WRAPPER];

/// More steps up than there are folders to leave.
const CLIMB: &str = "traversal.climb";
/// A file that is known on every server, reached for by a way up, or named in full and alone.
const FILE: &str = "traversal.file";
/// Steps up for filters that take out `../` once, and for servers that cut off path parameters: `....//`, `..;/`.
const DISGUISED: &str = "traversal.disguised";
/// A step up with a dot or slash in more bytes of UTF-8 than it needs.
const OVERLONG: &str = "traversal.overlong";
/// A name that ends at a null byte for C programs.
const NULL_BYTE: &str = "traversal.null-byte";
/// A URL that reads files or runs something: `php://filter/…`.
const WRAPPER: &str = "traversal.wrapper";

/// What of a value could matter, from one look at its bytes.
#[derive(Clone, Copy, Default)]
struct Signs {
    two_dots: bool,
    null: bool,
    overlong: bool,
    colon: bool,
}

impl Signs {
    fn of(value: &[u8]) -> Self {
        let (mut signs, mut dots) = (Self::default(), false);
        for byte in value.iter().filter(|byte| needs(**byte)) {
            dots |= *byte == b'.';
            signs.null |= *byte == 0;
            signs.overlong |= *byte == overlong::LEAD;
            signs.colon |= *byte == b':';
        }
        signs.two_dots = dots && value.windows(2).any(|two| two == b"..");
        signs
    }
}

/// Whether a value may break a rule for which it holds this byte. One without any such byte breaks none.
pub(super) const fn needs(byte: u8) -> bool {
    NEEDED.has(byte)
}

const NEEDED: ByteSet = ByteSet::of(&[b'.', b'/', b'\\', b':', 0, overlong::LEAD]);

/// The rule that a value breaks.
pub(super) fn inspect(value: &[u8]) -> Option<&'static str> {
    let signs = Signs::of(value);
    let value = value.trim_ascii();
    if signs.overlong && overlong::is_in(value) {
        return Some(OVERLONG);
    }
    if signs.null && null::ends_a_name(value) {
        return Some(NULL_BYTE);
    }
    if signs.two_dots {
        let found = ways_up(value);
        if found.is_some() {
            return found;
        }
    }
    if signs.colon && wrapper::begins(value) {
        return Some(WRAPPER);
    }
    files::is_all_of(value).then_some(FILE)
}

/// The rule that a path of a request breaks. What stays inside (`/a/../b`) breaks none.
pub(super) fn inspect_path(path: &[u8]) -> Option<&'static str> {
    let signs = Signs::of(path);
    if signs.overlong && overlong::is_in(path) {
        return Some(OVERLONG);
    }
    // Alone it is a mistake of whoever wrote the link.
    if signs.null && null::ends_a_name(path) {
        return Some(NULL_BYTE);
    }
    signs.two_dots.then(|| ways_up(path)).flatten()
}

fn ways_up(value: &[u8]) -> Option<&'static str> {
    let climb = Climb::of(value);
    if climb.disguised {
        return Some(DISGUISED);
    }
    if climb.ups > 0 && files::follow_a_way_up(value) {
        return Some(FILE);
    }
    climb.leaves().then_some(CLIMB)
}
