//! Parse: from the tokens in the parentheses of `#[rate_limit(…)]` to arguments as written.
//!
//! Any expression is accepted as a value here, so that `check` can say what to write instead of it.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Meta, Token};

/// The shortest correct attribute, for messages.
pub(crate) const EXAMPLE: &str = "#[rate_limit(requests = 5, window = 60)]";

/// One `#[rate_limit(…)]`.
pub(crate) struct Arguments {
    /// Where to point when something is missing.
    pub(crate) span: Span,
    pub(crate) list: Vec<Argument>,
}

/// One `name = value`. Without a value (`exempt`, but also `window =`) there is only the name.
pub(crate) struct Argument {
    pub(crate) name: Ident,
    pub(crate) value: Option<Expr>,
}

impl Arguments {
    /// Of the attribute that is being expanded.
    pub(crate) fn of_this(tokens: TokenStream) -> syn::Result<Self> {
        Self::parse(Span::call_site(), tokens)
    }

    /// Of another `#[rate_limit]` on the same function.
    pub(crate) fn of_stacked(attribute: &Attribute) -> syn::Result<Self> {
        let path = attribute.path();
        let span = path
            .segments
            .last()
            .map_or_else(Span::call_site, |last| last.ident.span());
        match &attribute.meta {
            Meta::Path(_) => Self::parse(span, TokenStream::new()),
            Meta::List(list) => Self::parse(span, list.tokens.clone()),
            Meta::NameValue(pair) => Err(syn::Error::new_spanned(
                pair,
                format!("arguments go in parentheses: write `{EXAMPLE}`"),
            )),
        }
    }

    /// Removes the arguments of this name, and returns them.
    pub(crate) fn take(&mut self, name: &str) -> Vec<Argument> {
        let (taken, others) = std::mem::take(&mut self.list)
            .into_iter()
            .partition(|argument| argument.name == name);
        self.list = others;
        taken
    }

    fn parse(span: Span, tokens: TokenStream) -> syn::Result<Self> {
        if tokens.is_empty() {
            return Err(syn::Error::new(
                span,
                format!("arguments are missing: write `{EXAMPLE}`, or `#[rate_limit(exempt)]`"),
            ));
        }
        let list: Listed = syn::parse2(tokens)?;
        Ok(Self {
            span,
            list: list.0.into_iter().collect(),
        })
    }
}

struct Listed(Punctuated<Argument, Token![,]>);

impl Parse for Listed {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Punctuated::parse_terminated(input).map(Self)
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        // Keywords too: `type = 5` is an unknown argument rather than a syntax error.
        if !input.peek(Ident::peek_any) {
            return Err(input.error(format!("expected an argument by name: write `{EXAMPLE}`")));
        }
        let name = input.call(Ident::parse_any)?;
        if at_end_of_argument(input) {
            return Ok(Self { name, value: None });
        }
        if !input.peek(Token![=]) {
            return Err(input.error(format!("expected `=`: write `{EXAMPLE}`")));
        }
        input.parse::<Token![=]>()?;
        let value = if at_end_of_argument(input) {
            None
        } else {
            Some(input.parse()?)
        };
        Ok(Self { name, value })
    }
}

fn at_end_of_argument(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tokens: &str) -> Result<Vec<String>, String> {
        let tokens = tokens.parse::<TokenStream>().map_err(|e| e.to_string())?;
        match Arguments::of_this(tokens) {
            Ok(arguments) => Ok(arguments
                .list
                .iter()
                .map(|argument| argument.name.to_string())
                .collect()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn accepts_pairs_words_and_a_trailing_comma() {
        assert_eq!(
            names("requests = 5, window = \"5m\",").as_deref(),
            Ok(&["requests".to_owned(), "window".to_owned()][..])
        );
        assert_eq!(
            names("requests =, window =").map(|names| names.len()),
            Ok(2)
        );
        assert_eq!(names("exempt").as_deref(), Ok(&["exempt".to_owned()][..]));
        assert_eq!(names("type = -1").as_deref(), Ok(&["type".to_owned()][..]));
    }

    #[test]
    fn syntax_errors_say_what_to_write() {
        for tokens in ["", "5, 60", "\"5/m\"", "requests: 5", "requests(5)"] {
            let message = names(tokens).err().unwrap_or_default();
            assert!(message.contains(EXAMPLE), "{tokens}: {message}");
        }
        assert_eq!(
            names("requests = 5 window = 60"),
            Err("expected `,`".to_owned())
        );
    }

    #[test]
    fn reads_stacked_attributes() {
        let empty: Attribute = syn::parse_quote!(#[rate_limit]);
        assert!(Arguments::of_stacked(&empty).is_err());
        let assigned: Attribute = syn::parse_quote!(#[rate_limit = "5/m"]);
        assert!(Arguments::of_stacked(&assigned).is_err());
        let list: Attribute = syn::parse_quote!(#[guard::rate_limit(requests = 5, window = 60)]);
        assert!(Arguments::of_stacked(&list).is_ok_and(|arguments| arguments.list.len() == 2));
    }
}
