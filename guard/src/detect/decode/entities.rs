//! Character references of HTML, as a browser undoes them in attribute values.
//!
//! After the tokenizer of the HTML standard (13.2.5.72 to 13.2.5.80). Of its 2,231 names only those of ASCII are here:
//! the others cannot take part in an attack.
//!
//! Must not know: where a value stood in the markup.

use std::borrow::Cow;

/// The value with its character references undone.
pub(crate) fn html_entities(value: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'&', value) else {
        return Cow::Borrowed(value);
    };
    let (untouched, mut rest) = value.split_at_checked(first).unwrap_or((&[], value));
    let mut decoded = Vec::with_capacity(value.len());
    decoded.extend_from_slice(untouched);
    while let Some((byte, after)) = rest.split_first() {
        rest = if *byte == b'&' {
            reference(after, &mut decoded)
        } else {
            decoded.push(*byte);
            after
        };
    }
    Cow::Owned(decoded)
}

/// Undoes the reference whose `&` has been read, and says what comes after it.
fn reference<'a>(after: &'a [u8], decoded: &mut Vec<u8>) -> &'a [u8] {
    if let Some((char, rest)) = numeric(after) {
        decoded.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        return rest;
    }
    if let Some((text, rest)) = named(after) {
        decoded.extend_from_slice(text.as_bytes());
        return rest;
    }
    decoded.push(b'&');
    after
}

/// `#39;`, `#39`, `#x27;`, `#x27`, with any number of leading zeros.
fn numeric(after: &[u8]) -> Option<(char, &[u8])> {
    let digits = after.strip_prefix(b"#")?;
    let (radix, digits) = match digits {
        [b'x' | b'X', digits @ ..] => (16, digits),
        _ => (10, digits),
    };
    let mut code = 0_u32;
    let mut rest = digits;
    while let Some((byte, after)) = rest.split_first()
        && let Some(digit) = char::from(*byte).to_digit(radix)
    {
        code = code.saturating_mul(radix).saturating_add(digit);
        rest = after;
    }
    if rest.len() == digits.len() {
        return None;
    }
    Some((character(code), rest.strip_prefix(b";").unwrap_or(rest)))
}

fn character(code: u32) -> char {
    char::from_u32(code)
        .filter(|char| *char != '\0')
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The longest name is `DiacriticalGrave`.
const LONGEST_NAME: usize = 16;

fn named(after: &[u8]) -> Option<(&'static str, &[u8])> {
    let letters = after.iter().take(LONGEST_NAME + 1);
    let length = letters
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .count();
    let (name, rest) = after.split_at_checked(length)?;
    match rest.strip_prefix(b";") {
        Some(rest) => Some((legacy(name).or_else(|| modern(name))?, rest)),
        None if rest.starts_with(b"=") => None,
        None => Some((legacy(name)?, rest)),
    }
}

/// Names that browsers also take without a semicolon, unless a letter, a digit, or `=` follows.
fn legacy(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"lt" | b"LT" => "<",
        b"gt" | b"GT" => ">",
        b"quot" | b"QUOT" => "\"",
        b"amp" | b"AMP" => "&",
        _ => return None,
    })
}

/// Names that need their semicolon.
fn modern(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"Tab" => "\t",
        b"NewLine" => "\n",
        b"nbsp" => "\u{a0}",
        b"excl" => "!",
        b"num" => "#",
        b"dollar" => "$",
        b"percnt" => "%",
        b"apos" => "'",
        b"lpar" => "(",
        b"rpar" => ")",
        b"ast" | b"midast" => "*",
        b"plus" => "+",
        b"comma" => ",",
        b"period" => ".",
        b"sol" => "/",
        b"colon" => ":",
        b"semi" => ";",
        b"equals" => "=",
        b"quest" => "?",
        b"commat" => "@",
        b"lsqb" | b"lbrack" => "[",
        b"bsol" => "\\",
        b"rsqb" | b"rbrack" => "]",
        b"Hat" => "^",
        b"lowbar" | b"UnderBar" => "_",
        b"grave" | b"DiacriticalGrave" => "`",
        b"lcub" | b"lbrace" => "{",
        b"verbar" | b"vert" | b"VerticalLine" => "|",
        b"rcub" | b"rbrace" => "}",
        _ => return None,
    })
}
