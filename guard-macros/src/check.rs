//! Check: from the arguments of all `#[rate_limit]` of one function to what they ask for, or every mistake in them.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr, ExprPath, LitStr, Path};

use crate::args::{Argument, Arguments};
use crate::mistakes::Mistakes;
use crate::value;

const CRATE: &str = "crate";
const DETECTION: &str = "detection";

/// What the attributes of one function ask for.
pub(crate) struct Request {
    pub(crate) limits: Limits,
    /// `detection = "off"`
    pub(crate) detection_off: bool,
    /// `crate = path`: where the generated code finds actix-web-guard, if not by that name.
    pub(crate) crate_path: Option<Path>,
}

pub(crate) enum Limits {
    Exempt,
    /// In source order; none if only detection is off.
    Each(Vec<Limit>),
}

pub(crate) struct Limit {
    pub(crate) requests: u32,
    pub(crate) window_seconds: u64,
    pub(crate) name: Option<LitStr>,
    pub(crate) key: Option<ExprPath>,
}

/// `None` if there was a mistake.
pub(crate) fn request(mut attributes: Vec<Arguments>, mistakes: &mut Mistakes) -> Option<Request> {
    let crate_path = crate_path(&mut attributes, mistakes);
    let detection_off = detection_off(&mut attributes, mistakes);
    let word = attributes
        .iter()
        .find_map(|arguments| argument(arguments, "exempt"));
    let limits = match word {
        Some(word) => mistakes.keep(exempt(word, &attributes)),
        None => limits(&attributes, mistakes),
    };
    Some(Request {
        limits: limits?,
        detection_off,
        crate_path,
    })
}

/// Takes `crate = path` out of the attributes: it is about the generated code, and several attributes may say the same.
fn crate_path(attributes: &mut [Arguments], mistakes: &mut Mistakes) -> Option<Path> {
    let mut chosen: Option<Path> = None;
    for argument in attributes
        .iter_mut()
        .flat_map(|arguments| arguments.take(CRATE))
    {
        let path = mistakes.keep(match &argument.value {
            Some(value) => value::crate_path(value),
            None => Err(value_missing(&argument)),
        });
        match (&chosen, path) {
            (Some(first), Some(path)) if text(first) != text(&path) => mistakes.add(syn::Error::new(
                argument.name.span(),
                format!("two attributes of this function have different paths for `{CRATE}`: keep one"),
            )),
            (None, path) => chosen = path,
            _ => {}
        }
    }
    chosen
}

fn text(path: &Path) -> String {
    path.to_token_stream().to_string()
}

/// Takes `detection = "off"` out of the attributes: it is about the function, and goes with every limit or with none.
fn detection_off(attributes: &mut Vec<Arguments>, mistakes: &mut Mistakes) -> bool {
    let mut given = Vec::new();
    for arguments in attributes.iter_mut() {
        given.extend(arguments.take(DETECTION));
    }
    if given.is_empty() {
        return false;
    }
    for argument in &given {
        mistakes.keep(match &argument.value {
            Some(value) => value::detection(value),
            None => Err(value_missing(argument)),
        });
    }
    for again in given.iter().skip(1) {
        mistakes.add(syn::Error::new(
            again.name.span(),
            format!("`{DETECTION}` is given twice: keep one"),
        ));
    }
    attributes.retain(|arguments| !arguments.list.is_empty());
    true
}

/// `word` is the argument `exempt` in one of the attributes.
fn exempt(word: &Argument, attributes: &[Arguments]) -> syn::Result<Limits> {
    let [only] = attributes else {
        return Err(syn::Error::new(
            word.name.span(),
            "`exempt` means no limit at all: remove the other `#[rate_limit]` attributes of this function, \
             or this one",
        ));
    };
    if only.list.len() > 1 {
        return Err(syn::Error::new(
            word.name.span(),
            "`exempt` stands alone: write `#[rate_limit(exempt)]`, or remove `exempt`",
        ));
    }
    match &word.value {
        Some(value) => Err(syn::Error::new_spanned(
            value,
            "`exempt` takes no value: write `#[rate_limit(exempt)]`",
        )),
        None => Ok(Limits::Exempt),
    }
}

fn limits(attributes: &[Arguments], mistakes: &mut Mistakes) -> Option<Limits> {
    check_names(attributes, mistakes);
    // Collected before it is judged: the first mistake must not hide those of the other attributes.
    let limits: Vec<_> = attributes
        .iter()
        .map(|arguments| limit(arguments, mistakes))
        .collect();
    let limits: Option<_> = limits.into_iter().collect();
    limits.map(Limits::Each)
}

/// One attribute that is not `exempt`.
fn limit(arguments: &Arguments, mistakes: &mut Mistakes) -> Option<Limit> {
    check_argument_names(arguments, mistakes);
    let requests = required(
        arguments,
        "requests",
        "`requests` is missing: add how many requests a window allows, such as `requests = 5`",
        value::requests,
        mistakes,
    );
    let window_seconds = required(
        arguments,
        "window",
        "`window` is missing: add its length, `window = 60` (seconds) or `window = \"5m\"`",
        value::window,
        mistakes,
    );
    let name = optional(arguments, "name", value::name, mistakes);
    let key = optional(arguments, "key", value::key, mistakes);
    Some(Limit {
        requests: requests?,
        window_seconds: window_seconds?,
        name,
        key,
    })
}

fn required<T>(
    arguments: &Arguments,
    name: &str,
    missing: &str,
    check: fn(&Expr) -> syn::Result<T>,
    mistakes: &mut Mistakes,
) -> Option<T> {
    if argument(arguments, name).is_none() {
        mistakes.add(syn::Error::new(arguments.span, missing));
    }
    optional(arguments, name, check, mistakes)
}

fn optional<T>(
    arguments: &Arguments,
    name: &str,
    check: fn(&Expr) -> syn::Result<T>,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let argument = argument(arguments, name)?;
    let Some(value) = &argument.value else {
        mistakes.add(value_missing(argument));
        return None;
    };
    mistakes.keep(check(value))
}

fn value_missing(argument: &Argument) -> syn::Error {
    let name = argument.name.to_string();
    syn::Error::new(
        argument.name.span(),
        format!(
            "the value of `{name}` is missing: {}",
            value::example(&name)
        ),
    )
}

fn argument<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a Argument> {
    arguments.list.iter().find(|argument| argument.name == name)
}

fn check_argument_names(arguments: &Arguments, mistakes: &mut Mistakes) {
    let mut seen = Vec::new();
    for Argument { name, .. } in &arguments.list {
        if !["requests", "window", "name", "key"]
            .iter()
            .any(|known| name == known)
        {
            mistakes.add(syn::Error::new(
                name.span(),
                format!("unknown argument `{name}`: there are `requests`, `window`, `name`, `key`, `detection`, `crate` and `exempt`"),
            ));
        } else if seen.contains(&name) {
            mistakes.add(syn::Error::new(
                name.span(),
                format!("`{name}` is given twice: keep one"),
            ));
        }
        seen.push(name);
    }
}

/// The headers list every limit of a route by name; one may go by the pattern of the route.
fn check_names(attributes: &[Arguments], mistakes: &mut Mistakes) {
    let mut seen = Vec::new();
    let mut has_unnamed = false;
    for arguments in attributes {
        let Some(argument) = argument(arguments, "name") else {
            if has_unnamed {
                mistakes.add(unnamed_twice(arguments.span));
            }
            has_unnamed = true;
            continue;
        };
        let Some(Ok(name)) = argument.value.as_ref().map(value::name) else {
            continue;
        };
        let text = name.value();
        if seen.contains(&text) {
            mistakes.add(syn::Error::new(
                name.span(),
                format!("two limits of this function are named `{text}`: give each its own name"),
            ));
        }
        seen.push(text);
    }
}

fn unnamed_twice(span: Span) -> syn::Error {
    syn::Error::new(
        span,
        "two limits of this function have no name, and clients could not tell them apart: add `name = \"…\"`",
    )
}
