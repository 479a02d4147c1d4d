//! Expand: the function as it was, with one more option on each of its route attributes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::{Attribute, LitStr};

use crate::annotation::annotated;
use crate::args::Arguments;
use crate::check::{self, Limits, Request};
use crate::item::Item;
use crate::mistakes::Mistakes;
use crate::route::{self, Route};

/// The expansion of `#[rate_limit(<arguments>)] <item>`.
pub(crate) fn rate_limit(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut parsed: Item = match syn::parse2(item.clone()) {
        Ok(parsed) => parsed,
        Err(mistake) => return with_error(item, &mistake),
    };
    let stacked = parsed.take_rate_limits();
    let Some(function) = parsed.function.clone() else {
        let mistake = syn::Error::new(
            Span::call_site(),
            "#[rate_limit] limits the requests to a handler: put it on a handler function",
        );
        return with_error(parsed.into_token_stream(), &mistake);
    };

    match requested(arguments, &stacked, &parsed) {
        Ok(request) => {
            add_wraps(&mut parsed, &function, &request);
            parsed.into_token_stream()
        }
        // The function stays, so that its uses are not reported as well.
        Err(mistake) => with_error(parsed.into_token_stream(), &mistake),
    }
}

/// What this attribute and those stacked below it ask for.
fn requested(arguments: TokenStream, stacked: &[Attribute], item: &Item) -> syn::Result<Request> {
    let mut mistakes = Mistakes::default();
    let first = std::iter::once(Arguments::of_this(arguments));
    let others = stacked.iter().map(Arguments::of_stacked);
    let attributes: Vec<_> = first
        .chain(others)
        .filter_map(|arguments| mistakes.keep(arguments))
        .collect();
    let request = check::request(attributes, &mut mistakes);
    check_routes(&item.attributes, &mut mistakes);
    mistakes.finish(request)
}

fn with_error(mut item: TokenStream, mistake: &syn::Error) -> TokenStream {
    item.extend(mistake.to_compile_error());
    item
}

/// At least one route must take the limit. Where none can, actix-web mostly reports as well what is wrong with the
/// attribute; but one that is not actix-web's, as `#[trace]` of some tracing crate, would compile without a limit.
fn check_routes(attributes: &[Attribute], mistakes: &mut Mistakes) {
    let candidates = attributes
        .iter()
        .filter(|attribute| route::is_route_attribute(attribute));
    let mut unreadable = Vec::new();
    for candidate in candidates {
        if Route::read(candidate).is_some() {
            return;
        }
        unreadable.push(candidate);
    }
    match unreadable.last() {
        Some(attribute) => mistakes.add(syn::Error::new_spanned(
            attribute,
            "#[rate_limit] finds no path in this route attribute: write it in quotes, as in #[get(\"/path\")]",
        )),
        None => mistakes.add(no_route_attribute()),
    }
}

/// Below a route attribute this macro sees what it sees without one: actix-web has already taken its own away.
fn no_route_attribute() -> syn::Error {
    syn::Error::new(
        Span::call_site(),
        "no route attribute below #[rate_limit]\n\
         - if there is one above it, move #[rate_limit] above that: attributes take effect from top to bottom\n\
         - if there is none, add one such as #[get(\"/path\")] below it\n\
         - for handlers registered by hand, wrap the resource instead: `.wrap(RouteLimit::new(5, 60))`",
    )
}

fn add_wraps(item: &mut Item, function: &Ident, request: &Request) {
    let span = span_of_wrap(request);
    let routes: Vec<_> = item.attributes.iter().map(Route::read).collect();
    for (attribute, route) in item.attributes.iter_mut().zip(&routes) {
        let Some(route) = route else { continue };
        let methods = route::methods_of_pattern(&routes, &route.pattern);
        let expression = annotated(function, &methods, route, request);
        let literal = LitStr::new(&expression.to_string(), span);
        route.add_wrap(attribute, &literal);
    }
}

/// actix-web gives every token of the expression the place of the literal, so this is where the compiler points
/// if the path of `crate` leads nowhere, or the function of `key` does not exist or has another signature. With
/// several of them there is no one place; the message has the name.
///
/// It stays part of this expansion, whatever its place: `line!()` gives the place of the attribute, and lints
/// know that the code was generated.
fn span_of_wrap(request: &Request) -> Span {
    let limits = match &request.limits {
        Limits::Exempt => &[],
        Limits::Each(limits) => limits.as_slice(),
    };
    let keys = limits.iter().filter_map(|limit| limit.key.as_ref());
    let mut paths = keys.map(|key| &key.path).chain(&request.crate_path);
    match (paths.next(), paths.next()) {
        (Some(only), None) => only.segments.last().map_or_else(Span::call_site, |last| {
            Span::call_site().located_at(last.ident.span())
        }),
        _ => Span::call_site(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn expanded(arguments: TokenStream, item: TokenStream) -> String {
        rate_limit(arguments, item).to_string()
    }

    #[test]
    fn describes_the_routes() {
        let text = expanded(
            quote!(
                requests = 5,
                window = "1m",
                name = "say",
                key = keys::by_key
            ),
            quote! {
                #[rate_limit(requests = 6, window = 7)]
                #[routes]
                #[get("/a")]
                #[put("/b", name = "b")]
                #[post("/a")]
                async fn r#type() -> String {}
            },
        );
        let wrap = |methods: TokenStream, pattern: &str| {
            quote! {
                ::actix_web_guard::__private::RouteLimit::annotated(&const {
                    ::actix_web_guard::__private::Annotation {
                        handler: ::core::concat!(::core::module_path!(), "::", "type"),
                        location: (::core::file!(), ::core::line!(), ::core::column!()),
                        methods: #methods,
                        pattern: #pattern,
                        guarded: false,
                        exempt: false,
                        detection_off: false,
                        limits: &[
                            ::actix_web_guard::__private::AnnotatedLimit {
                                requests: 5u32,
                                window_seconds: 60u64,
                                name: ::core::option::Option::Some("say"),
                                key: ::core::option::Option::Some(::actix_web_guard::__private::AnnotatedKey {
                                    name: "keys::by_key",
                                    function: keys::by_key,
                                }),
                            },
                            ::actix_web_guard::__private::AnnotatedLimit {
                                requests: 6u32,
                                window_seconds: 7u64,
                                name: ::core::option::Option::None,
                                key: ::core::option::Option::None,
                            }
                        ],
                    }
                })
            }
            .to_string()
        };
        let of_a = wrap(quote!(&["GET", "POST"]), "/a");
        let of_b = wrap(quote!(&["PUT"]), "/b");
        let expected = quote! {
            #[routes]
            #[get("/a", wrap = #of_a)]
            #[put("/b", name = "b", wrap = #of_b)]
            #[post("/a", wrap = #of_a)]
            async fn r#type() -> String {}
        };
        assert_eq!(text, expected.to_string());
    }

    #[test]
    fn exempt_has_no_limits() {
        let text = expanded(
            quote!(exempt),
            quote!(
                #[get("/")]
                async fn index() -> String {}
            ),
        );
        let expected = "exempt : true , detection_off : false , limits : & []";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn detection_is_off_beside_limits_alone_and_for_what_is_exempt() {
        let item = quote!(
            #[get("/")]
            async fn index() -> String {}
        );
        let stacked = quote!(
            #[rate_limit(detection = "off")]
            #[get("/")]
            async fn index() -> String {}
        );
        let limited = quote!(requests = 5, window = 60);
        for (arguments, item, expected) in [
            (
                quote!(detection = "off"),
                &item,
                "exempt : false , detection_off : true , limits : & []",
            ),
            (
                quote!(exempt, detection = "off"),
                &item,
                "exempt : true , detection_off : true , limits : & []",
            ),
            (
                quote!(#limited, detection = "off"),
                &item,
                "exempt : false , detection_off : true , limits : & [:",
            ),
            (
                limited.clone(),
                &stacked,
                "exempt : false , detection_off : true , limits : & [:",
            ),
            (
                limited.clone(),
                &item,
                "exempt : false , detection_off : false , limits : & [:",
            ),
        ] {
            let text = expanded(arguments, item.clone());
            assert!(text.contains(expected), "{expected}: {text}");
            assert!(!text.contains("compile_error"), "{text}");
        }
    }

    #[test]
    fn mistakes_keep_the_function() {
        let item = quote!(
            #[get("/")]
            async fn index() -> &'static str {
                ""
            }
        );
        let stacked = quote!(
            #[get("/")]
            #[rate_limit(nonsense)]
            async fn index() -> &'static str {
                ""
            }
        );
        for arguments in [quote!(), quote!(requests = 0, window = 1), quote!(5 / m)] {
            let text = expanded(arguments.clone(), item.clone());
            assert!(text.starts_with(&item.to_string()), "{text}");
            assert!(text.contains("compile_error"), "{text}");
            assert!(!text.contains("__private"), "{text}");
            let text = expanded(arguments, stacked.clone());
            assert!(text.starts_with(&item.to_string()), "{text}");
        }
    }

    #[test]
    fn survives_any_item() {
        for item in [
            quote!(),
            quote!(#),
            quote!(#[get("/")]),
            quote!(fn),
            quote!(5 + 5),
            quote!({}),
        ] {
            let text = expanded(quote!(requests = 5, window = 60), item);
            assert!(text.contains("compile_error"), "{text}");
        }
    }
}
