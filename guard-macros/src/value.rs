//! Check, one value at a time: the literals and the path that the arguments take.

use quote::ToTokens;
use syn::parse::Parser;
use syn::{Expr, ExprPath, Lit, LitInt, LitStr, Path};

/// 366 days. A longer window is more likely a mistake in the unit than a wish.
const LONGEST_WINDOW: u64 = 31_622_400;
/// Longest name of a limit: it is repeated in the headers of every response.
const LONGEST_NAME: usize = 64;

const WINDOW_FORMS: &str = "write seconds, `window = 60`, or a number with one unit in quotes: \"90s\", \"5m\", \"1h\", \"1d\"";

/// How to write an argument, for messages.
pub(crate) fn example(name: &str) -> &'static str {
    match name {
        "requests" => "write `requests = 5`",
        "window" => WINDOW_FORMS,
        "name" => "write `name = \"burst\"`",
        "detection" => "write `detection = \"off\"`",
        "crate" => "write `crate = path::to::actix_web_guard`",
        _ => "write `key = path::to::function`",
    }
}

/// `requests = 5`
pub(crate) fn requests(value: &Expr) -> syn::Result<u32> {
    let written = match literal(value) {
        Some(Lit::Int(written)) => written,
        Some(Lit::Str(_)) => {
            return Err(at(
                value,
                "`requests` takes a number without quotes: `requests = 5`",
            ));
        }
        _ => {
            return Err(at(
                value,
                "`requests` takes a whole number from 1 to 4294967295, written out: `requests = 5`",
            ));
        }
    };
    refuse_suffix(written, "`requests` takes a plain number: `requests = 5`")?;
    match written.base10_parse::<u32>() {
        Ok(0) => Err(at(
            value,
            "`requests` must be at least 1; for a route without a limit write `#[rate_limit(exempt)]`",
        )),
        Ok(requests) => Ok(requests),
        Err(_) => Err(at(value, "`requests` must be at most 4294967295")),
    }
}

/// `window = 60` or `window = "5m"`, in seconds.
pub(crate) fn window(value: &Expr) -> syn::Result<u64> {
    let seconds = match literal(value) {
        Some(Lit::Int(written)) => {
            refuse_suffix(
                written,
                &format!("`window` takes a plain number: {WINDOW_FORMS}"),
            )?;
            // Digits that are too many even for u64 get the message about the longest window.
            written.base10_parse::<u64>().unwrap_or(u64::MAX)
        }
        Some(Lit::Str(written)) => seconds(&written.value()).ok_or_else(|| {
            at(
                value,
                &format!("this is not a length of time: {WINDOW_FORMS}"),
            )
        })?,
        Some(Lit::Float(_)) => {
            return Err(at(
                value,
                &format!("`window` takes whole seconds: {WINDOW_FORMS}"),
            ));
        }
        _ => {
            return Err(at(
                value,
                &format!("`window` takes a length of time, written out: {WINDOW_FORMS}"),
            ));
        }
    };
    match seconds {
        0 => Err(at(value, "`window` must be at least 1 second")),
        1..=LONGEST_WINDOW => Ok(seconds),
        _ => Err(at(
            value,
            "`window` must be at most 31622400 seconds, which is 366 days",
        )),
    }
}

/// Seconds in `90s`, `5m`, `1h`, `1d`. Too many for u64 count as the most.
fn seconds(text: &str) -> Option<u64> {
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return None,
    };
    let digits = text.strip_suffix(['s', 'm', 'h', 'd'])?;
    // `parse` alone would also take a sign.
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u64::MAX).saturating_mul(unit))
}

/// `detection = "off"`
pub(crate) fn detection(value: &Expr) -> syn::Result<()> {
    match literal(value) {
        Some(Lit::Str(written)) if written.value() == "off" => Ok(()),
        _ => Err(at(
            value,
            "`detection` can only be switched off for a route: write `detection = \"off\"`, or remove it",
        )),
    }
}

/// `name = "burst"`
pub(crate) fn name(value: &Expr) -> syn::Result<LitStr> {
    let Some(Lit::Str(name)) = literal(value) else {
        return Err(at(value, "`name` takes text in quotes: `name = \"burst\"`"));
    };
    let text = name.value();
    if text.is_empty() || text.chars().count() > LONGEST_NAME {
        return Err(at(value, "`name` must have 1 to 64 characters"));
    }
    // It becomes a quoted string in a structured header (RFC 9651), without escapes.
    let printable = |c: char| matches!(c, ' '..='~') && c != '"' && c != '\\';
    if !text.chars().all(printable) {
        return Err(at(
            value,
            "`name` is sent in a header: use printable ASCII characters without `\"` and `\\`",
        ));
    }
    Ok(name.clone())
}

/// `key = path::to::function`
pub(crate) fn key(value: &Expr) -> syn::Result<ExprPath> {
    match without_groups(value) {
        // The path has to go through the text of a string, where `$crate` means nothing.
        Expr::Path(path) if path.to_token_stream().to_string().contains("$crate") => Err(at(
            value,
            "`key` cannot be given with `$crate`: write the path as it is from the handler, such as \
             `crate::by_api_key`",
        )),
        Expr::Path(path) => Ok(path.clone()),
        _ => Err(at(
            value,
            "`key` takes the path of a function, without quotes or parentheses: `key = by_api_key`, with \
             `fn by_api_key(request: &ServiceRequest) -> Option<Cow<'_, str>>`",
        )),
    }
}

/// `crate = path::to::actix_web_guard`, or the same in quotes, as other macros have it.
pub(crate) fn crate_path(value: &Expr) -> syn::Result<Path> {
    let path = match literal(value) {
        Some(Lit::Str(text)) => text.parse_with(Path::parse_mod_style),
        _ => Path::parse_mod_style.parse2(value.to_token_stream()),
    };
    match path {
        // As with `key`. A macro has to name its own crate as the crates that use it do.
        Ok(path) if path.to_token_stream().to_string().contains("$crate") => Err(at(
            value,
            "`crate` cannot be given with `$crate`: write the name of that crate, such as `::my_crate::actix_web_guard`",
        )),
        Ok(path) => Ok(path),
        Err(_) => Err(at(
            value,
            "`crate` takes the path by which this crate knows actix-web-guard: `crate = guard` for a dependency that is \
             renamed to `guard`, or `crate = path::to::actix_web_guard` where another crate exports it",
        )),
    }
}

fn literal(value: &Expr) -> Option<&Lit> {
    match without_groups(value) {
        Expr::Lit(literal) => Some(&literal.lit),
        _ => None,
    }
}

/// A value that came through `macro_rules!` as `$value:expr` is wrapped in groups that nobody sees.
fn without_groups(mut value: &Expr) -> &Expr {
    while let Expr::Group(group) = value {
        value = &group.expr;
    }
    value
}

/// `5m` without quotes is one token to the compiler: the number 5 with the suffix `m`.
fn refuse_suffix(number: &LitInt, message: &str) -> syn::Result<()> {
    if number.suffix().is_empty() {
        Ok(())
    } else {
        Err(syn::Error::new(number.span(), message))
    }
}

fn at(value: &Expr, message: &str) -> syn::Error {
    syn::Error::new_spanned(value, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn windows_with_units() {
        for (text, expected) in [
            ("90s", Some(90)),
            ("5m", Some(300)),
            ("1h", Some(3_600)),
            ("1d", Some(86_400)),
            ("007m", Some(420)),
            ("0s", Some(0)),
            ("99999999999999999999s", Some(u64::MAX)),
            ("18446744073709551615d", Some(u64::MAX)),
            ("", None),
            ("s", None),
            ("90", None),
            ("5x", None),
            ("5 m", None),
            ("+5m", None),
            ("-5m", None),
            ("1.5h", None),
            ("1h30m", None),
            ("5M", None),
            ("5é", None),
        ] {
            assert_eq!(seconds(text), expected, "{text:?}");
        }
    }

    #[test]
    fn windows_have_bounds() {
        let window = |value: Expr| window(&value).ok();
        assert_eq!(window(parse_quote!(1)), Some(1));
        assert_eq!(window(parse_quote!(31_622_400)), Some(LONGEST_WINDOW));
        assert_eq!(window(parse_quote!("366d")), Some(LONGEST_WINDOW));
        assert_eq!(window(parse_quote!(31_622_401)), None);
        assert_eq!(window(parse_quote!("367d")), None);
        assert_eq!(window(parse_quote!(99999999999999999999999)), None);
        assert_eq!(window(parse_quote!(0)), None);
        assert_eq!(window(parse_quote!(-1)), None);
        assert_eq!(window(parse_quote!(5m)), None);
    }

    #[test]
    fn requests_have_bounds() {
        let requests = |value: Expr| requests(&value).ok();
        assert_eq!(requests(parse_quote!(1)), Some(1));
        assert_eq!(requests(parse_quote!(4294967295)), Some(u32::MAX));
        assert_eq!(requests(parse_quote!(4294967296)), None);
        assert_eq!(requests(parse_quote!(0)), None);
        assert_eq!(requests(parse_quote!(5u32)), None);
        assert_eq!(requests(parse_quote!(LIMIT)), None);
    }

    #[test]
    fn names_fit_a_header() {
        let accepted = |text: &str| {
            let literal = LitStr::new(text, proc_macro2::Span::call_site());
            name(&parse_quote!(#literal)).is_ok()
        };
        assert!(accepted("burst"));
        assert!(accepted("per minute; 100%"));
        assert!(accepted(&"x".repeat(64)));
        assert!(!accepted(&"x".repeat(65)));
        for refused in ["", "a\"b", "a\\b", "a\nb", "é", "\u{7f}"] {
            assert!(!accepted(refused), "{refused:?}");
        }
    }

    #[test]
    fn paths_of_the_crate() {
        let path = |value: Expr| {
            let path = crate_path(&value).ok()?;
            Some(path.to_token_stream().to_string())
        };
        assert_eq!(path(parse_quote!(guard)).as_deref(), Some("guard"));
        assert_eq!(path(parse_quote!("guard")).as_deref(), Some("guard"));
        assert_eq!(path(parse_quote!(crate)).as_deref(), Some("crate"));
        assert_eq!(
            path(parse_quote!(::framework::guard)),
            path(parse_quote!("::framework::guard"))
        );
        for refused in [
            "\"\"",
            "\"my-guard\"",
            "\"guard::<u8>\"",
            "<T as U>::V",
            "5",
            "guard()",
            "guard::<u8>",
        ] {
            let value = syn::parse_str(refused);
            assert!(value.is_ok_and(|value| path(value).is_none()), "{refused}");
        }
    }
}
