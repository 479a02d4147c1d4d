//! Expand: the expression in `wrap = "…"`, which carries the annotation.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{ExprPath, Path, parse_quote};

use crate::check::{Limit, Limits, Request};
use crate::route::Route;

/// The middleware of one route.
pub(crate) fn annotated(
    function: &Ident,
    methods: &[&str],
    route: &Route,
    request: &Request,
) -> TokenStream {
    let name = function.unraw().to_string();
    let (pattern, guarded) = (&route.pattern, route.guarded);
    let private = private(request.crate_path.as_ref());
    let (exempt, limits) = match &request.limits {
        Limits::Exempt => (true, Vec::new()),
        Limits::Each(limits) => {
            let limits = limits.iter().map(|limit| annotated_limit(limit, &private));
            (false, limits.collect())
        }
    };
    let detection_off = request.detection_off;
    quote! {
        #private::RouteLimit::annotated(&const {
            #private::Annotation {
                handler: ::core::concat!(::core::module_path!(), "::", #name),
                location: (::core::file!(), ::core::line!(), ::core::column!()),
                methods: &[#(#methods),*],
                pattern: #pattern,
                guarded: #guarded,
                exempt: #exempt,
                detection_off: #detection_off,
                limits: &[#(#limits),*],
            }
        })
    }
}

/// The module of actix-web-guard for generated code.
fn private(crate_path: Option<&Path>) -> Path {
    match crate_path {
        Some(path) => parse_quote!(#path::__private),
        None => parse_quote!(::actix_web_guard::__private),
    }
}

fn annotated_limit(limit: &Limit, private: &Path) -> TokenStream {
    let Limit {
        requests,
        window_seconds,
        name,
        key,
    } = limit;
    let name = option(name.as_ref().map(ToTokens::to_token_stream));
    let key = option(key.as_ref().map(|key| annotated_key(key, private)));
    quote! {
        #private::AnnotatedLimit {
            requests: #requests,
            window_seconds: #window_seconds,
            name: #name,
            key: #key,
        }
    }
}

fn annotated_key(function: &ExprPath, private: &Path) -> TokenStream {
    let name = path_text(function);
    quote! {
        #private::AnnotatedKey {
            name: #name,
            function: #function,
        }
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// The path without spaces, except between words: two ways to write one path are one name.
fn path_text(path: &ExprPath) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let tokens = path.to_token_stream().to_string();
    tokens
        .split_whitespace()
        .fold(String::new(), |mut text, part| {
            if text.ends_with(is_word) && part.starts_with(is_word) {
                text.push(' ');
            }
            text.push_str(part);
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn writes_paths_one_way() {
        assert_eq!(
            path_text(&parse_quote!(crate::keys::by_key)),
            "crate::keys::by_key"
        );
        assert_eq!(path_text(&parse_quote!(crate::by::<u8>)), "crate::by::<u8>");
        assert_eq!(path_text(&parse_quote!(<A as B>::by)), "<A as B>::by");
    }
}
