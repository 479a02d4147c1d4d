//! Parse: the item that the attribute stands on.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Path, Token, Visibility};

/// An item, of which only the attributes are taken apart. Signature and body stay the tokens they were: they
/// may have syntax that this macro does not know.
pub(crate) struct Item {
    pub(crate) attributes: Vec<Attribute>,
    /// The name, if the item is a function.
    pub(crate) function: Option<Ident>,
    pub(crate) rest: TokenStream,
}

impl Item {
    /// Removes the other `#[rate_limit]` attributes and returns them in source order.
    pub(crate) fn take_rate_limits(&mut self) -> Vec<Attribute> {
        let all = std::mem::take(&mut self.attributes);
        let (ours, others) = all
            .into_iter()
            .partition(|attribute| last_segment_is(attribute.path(), "rate_limit"));
        self.attributes = others;
        ours
    }
}

/// Paths are compared by their end, since `get` and `actix_web::get` are one macro.
pub(crate) fn last_segment_is(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|last| last.ident == name)
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            function: function_name(&input.fork()),
            rest: input.parse()?,
        })
    }
}

fn function_name(input: ParseStream<'_>) -> Option<Ident> {
    input.parse::<Visibility>().ok()?;
    // Qualifiers are words, and one literal in `extern "C"`.
    while !input.peek(Token![fn]) {
        match input.parse::<TokenTree>().ok()? {
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
            TokenTree::Group(_) | TokenTree::Punct(_) => return None,
        }
    }
    input.parse::<Token![fn]>().ok()?;
    input.call(Ident::parse_any).ok()
}

impl ToTokens for Item {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        for attribute in &self.attributes {
            attribute.to_tokens(tokens);
        }
        self.rest.to_tokens(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn function(tokens: TokenStream) -> Option<String> {
        let item: Item = syn::parse2(tokens).ok()?;
        item.function.map(|name| name.to_string())
    }

    #[test]
    fn finds_the_name_of_a_function() {
        for tokens in [
            quote!(
                async fn index() -> &'static str {
                    ""
                }
            ),
            quote!(
                #[get("/")]
                pub(crate) async fn index() {}
            ),
            quote!(
                pub const unsafe extern "C" fn index();
            ),
            quote!(fn index<T: Fn() -> fn()>(x: T) where T: Copy { not rust at all }),
        ] {
            assert_eq!(function(tokens).as_deref(), Some("index"));
        }
    }

    #[test]
    fn other_items_have_none() {
        for tokens in [
            quote!(
                struct Index(fn());
            ),
            quote!(
                pub mod index {
                    fn index() {}
                }
            ),
            quote!(impl Index { fn index() {} }),
            quote!(
                const INDEX: fn() = index;
            ),
            quote!(
                type Index = fn();
            ),
            quote!(),
        ] {
            assert_eq!(function(tokens), None);
        }
    }

    #[test]
    fn takes_only_rate_limits() -> syn::Result<()> {
        let mut item: Item = syn::parse_quote! {
            /// Documented.
            #[actix_web_guard::rate_limit(requests = 1, window = 1)]
            #[get("/")]
            #[rate_limit]
            #[allow(unused)]
            async fn index() {}
        };
        assert_eq!(item.take_rate_limits().len(), 2);
        let left = quote! {
            /// Documented.
            #[get("/")]
            #[allow(unused)]
            async fn index() {}
        };
        assert_eq!(item.to_token_stream().to_string(), left.to_string());
        Ok(())
    }
}
