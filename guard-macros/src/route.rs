//! Recognises actix-web's route attributes, and adds an option to them.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, MetaNameValue, Token};

use crate::item::last_segment_is;

/// The attributes that stand for one method. Upper case, it is the method.
const METHODS: [&str; 10] = [
    "get", "post", "put", "delete", "head", "connect", "options", "trace", "patch", "query",
];

/// What a well-formed route attribute registers.
pub(crate) struct Route {
    pub(crate) pattern: String,
    /// Upper case, in source order.
    methods: Vec<String>,
    /// It has a `guard = "…"`: other handlers may have the same pattern and methods.
    pub(crate) guarded: bool,
    /// The arguments end with a comma.
    ends_with_comma: bool,
}

/// `"/path", name = "…", wrap = "…"`
struct RouteArguments {
    pattern: LitStr,
    comma: Option<Token![,]>,
    options: Punctuated<MetaNameValue, Token![,]>,
}

impl Route {
    /// `None` also for arguments that actix-web will refuse: it has the better message.
    pub(crate) fn read(attribute: &Attribute) -> Option<Self> {
        let path = attribute.path();
        let method = METHODS.iter().find(|method| last_segment_is(path, method));
        if method.is_none() && !last_segment_is(path, "route") {
            return None;
        }
        let arguments: RouteArguments = attribute.parse_args().ok()?;
        Some(Self {
            pattern: arguments.pattern.value(),
            methods: match method {
                Some(method) => vec![method.to_ascii_uppercase()],
                None => arguments.options.iter().filter_map(method_option).collect(),
            },
            guarded: arguments
                .options
                .iter()
                .any(|option| option.path.is_ident("guard")),
            ends_with_comma: arguments.ends_with_comma(),
        })
    }

    /// Adds `wrap = <literal>` as the last option.
    pub(crate) fn add_wrap(&self, attribute: &mut Attribute, literal: &LitStr) {
        let Meta::List(list) = &mut attribute.meta else {
            return;
        };
        let comma = (!self.ends_with_comma).then(<Token![,]>::default);
        list.tokens
            .extend::<TokenStream>(quote!(#comma wrap = #literal));
    }
}

/// All methods that the routes of one function have for the pattern, each once, in source order.
pub(crate) fn methods_of_pattern<'a>(routes: &'a [Option<Route>], pattern: &str) -> Vec<&'a str> {
    let mut methods = Vec::new();
    let same = routes
        .iter()
        .flatten()
        .filter(|route| route.pattern == pattern);
    for method in same.flat_map(|route| &route.methods) {
        if !methods.contains(&method.as_str()) {
            methods.push(method.as_str());
        }
    }
    methods
}

/// Whether actix-web will expand the attribute, or at least report what is wrong with it.
pub(crate) fn is_route_attribute(attribute: &Attribute) -> bool {
    let path = attribute.path();
    METHODS
        .iter()
        .chain(&["route", "routes"])
        .any(|name| last_segment_is(path, name))
}

/// The text of `method = "GET"`.
fn method_option(option: &MetaNameValue) -> Option<String> {
    match &option.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(method),
            ..
        }) if option.path.is_ident("method") => Some(method.value().to_ascii_uppercase()),
        _ => None,
    }
}

impl RouteArguments {
    fn ends_with_comma(&self) -> bool {
        if self.options.is_empty() {
            self.comma.is_some()
        } else {
            self.options.trailing_punct()
        }
    }
}

impl Parse for RouteArguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let pattern = input.parse()?;
        let comma: Option<Token![,]> = input.parse()?;
        let options = match comma {
            Some(_) => Punctuated::parse_terminated(input)?,
            None => Punctuated::new(),
        };
        Ok(Self {
            pattern,
            comma,
            options,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;
    use quote::ToTokens;
    use syn::parse_quote;

    #[test]
    fn collects_methods_by_pattern() {
        let attributes: [Attribute; 6] = [
            parse_quote!(#[get("/a")]),
            parse_quote!(#[actix_web::post("/a", name = "x")]),
            parse_quote!(#[put("/b")]),
            parse_quote!(#[allow(unused)]),
            parse_quote!(#[route("/a", method = "GET", guard = "g", method = "PURGE")]),
            parse_quote!(#[query("/a")]),
        ];
        let routes: Vec<_> = attributes.iter().map(Route::read).collect();
        assert_eq!(
            methods_of_pattern(&routes, "/a"),
            ["GET", "POST", "PURGE", "QUERY"]
        );
        assert_eq!(methods_of_pattern(&routes, "/b"), ["PUT"]);
        assert!(methods_of_pattern(&routes, "/c").is_empty());
    }

    #[test]
    fn notices_guards() {
        let guarded: [Attribute; 2] = [
            parse_quote!(#[get("/a", guard = "g")]),
            parse_quote!(#[route("/a", method = "GET", guard = "g")]),
        ];
        let plain: Attribute = parse_quote!(#[get("/guard", name = "guard")]);
        let is_guarded = |attribute| Route::read(attribute).map(|route| route.guarded);
        for attribute in &guarded {
            assert_eq!(is_guarded(attribute), Some(true));
        }
        assert_eq!(is_guarded(&plain), Some(false));
    }

    #[test]
    fn leaves_malformed_attributes_to_actix() {
        let attributes: [Attribute; 6] = [
            parse_quote!(#[get]),
            parse_quote!(#[get()]),
            parse_quote!(#[get = "/a"]),
            parse_quote!(#[get(PATH)]),
            parse_quote!(#[get("/a", guard)]),
            parse_quote!(#[get("/a" guard = "g")]),
        ];
        for attribute in &attributes {
            assert!(Route::read(attribute).is_none());
            assert!(is_route_attribute(attribute));
        }
        assert!(!is_route_attribute(&parse_quote!(#[utoipa::path(get)])));
    }

    #[test]
    fn adds_the_option_last() {
        let cases: [(Attribute, Attribute); 4] = [
            (
                parse_quote!(#[get("/a")]),
                parse_quote!(#[get("/a", wrap = "W")]),
            ),
            (
                parse_quote!(#[get("/a",)]),
                parse_quote!(#[get("/a", wrap = "W")]),
            ),
            (
                parse_quote!(#[get("/a", wrap = "V")]),
                parse_quote!(#[get("/a", wrap = "V", wrap = "W")]),
            ),
            (
                parse_quote!(#[route("/a", method = "GET",)]),
                parse_quote!(#[route("/a", method = "GET", wrap = "W")]),
            ),
        ];
        let literal = LitStr::new("W", Span::call_site());
        for (mut attribute, expected) in cases {
            let route = Route::read(&attribute);
            assert!(route.is_some());
            if let Some(route) = route {
                route.add_wrap(&mut attribute, &literal);
            }
            assert_eq!(
                attribute.to_token_stream().to_string(),
                expected.to_token_stream().to_string()
            );
        }
    }
}
