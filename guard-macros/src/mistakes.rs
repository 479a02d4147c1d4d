//! All mistakes of one use of the attribute, so that they are reported together.

use proc_macro2::Span;

/// Compile errors, in the order found.
#[derive(Default)]
pub(crate) struct Mistakes(Option<syn::Error>);

impl Mistakes {
    pub(crate) fn add(&mut self, mistake: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(mistake),
            None => self.0 = Some(mistake),
        }
    }

    /// The value, or `None` and the error is noted.
    pub(crate) fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|mistake| self.add(mistake)).ok()
    }

    /// The value, if there was no mistake. It is missing only if there was one; the last arm is for the compiler.
    pub(crate) fn finish<T>(self, value: Option<T>) -> syn::Result<T> {
        match (self.0, value) {
            (None, Some(value)) => Ok(value),
            (Some(mistakes), _) => Err(mistakes),
            (None, None) => Err(syn::Error::new(
                Span::call_site(),
                "`#[rate_limit]` cannot be understood here",
            )),
        }
    }
}
