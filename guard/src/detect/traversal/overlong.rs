//! Ways up with a dot or slash in two bytes of UTF-8, which no encoder makes and old decoders take.
//!
//! Alone such bytes say nothing: a value may be any bytes, such as the `info_hash` that clients of BitTorrent send.
//! Must not know: percent-encoding.

/// The first byte of each of them.
pub(super) const LEAD: u8 = 0xc0;

/// A dot, slash or something else.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Sign {
    Dot,
    Slash,
    #[default]
    Other,
}

/// Whether there is `../` or `/..` in which a dot, slash or backslash is overlong.
pub(super) fn is_in(value: &[u8]) -> bool {
    let mut rest = value;
    let mut last = [(Sign::Other, false); 3];
    while let Some((sign, is_overlong, behind)) = next(rest) {
        rest = behind;
        let [_, second, third] = last;
        last = [second, third, (sign, is_overlong)];
        let is_up = matches!(
            last.map(|(sign, _)| sign),
            [Sign::Dot, Sign::Dot, Sign::Slash] | [Sign::Slash, Sign::Dot, Sign::Dot]
        );
        if is_up && last.iter().any(|(_, is_overlong)| *is_overlong) {
            return true;
        }
    }
    false
}

/// What is at the beginning, whether it is overlong, and what is behind it.
fn next(text: &[u8]) -> Option<(Sign, bool, &[u8])> {
    let (first, behind) = text.split_first()?;
    if let (&LEAD, Some((second, behind))) = (first, behind.split_first()) {
        match second {
            0xae | b'.' => return Some((Sign::Dot, true, behind)),
            0xaf | b'/' | b'\\' => return Some((Sign::Slash, true, behind)),
            _ => {}
        }
    }
    let sign = match first {
        b'.' => Sign::Dot,
        b'/' | b'\\' => Sign::Slash,
        _ => Sign::Other,
    };
    Some((sign, false, behind))
}
