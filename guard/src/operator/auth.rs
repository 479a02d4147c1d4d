//! How operators prove who they are.
//!
//! Must not know: where admin scopes are, who has tried how often.

use std::{fmt, str, sync::Arc};

use actix_web::{
    dev::ServiceRequest,
    http::header::{AUTHORIZATION, HeaderMap},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Shorter tokens can be guessed.
const SHORTEST_TOKEN: usize = 16;

/// Who may use an admin scope: whoever has the token, or whom a closure lets in.
#[derive(Clone)]
pub struct Auth(Proof);

#[derive(Clone)]
enum Proof {
    /// The hash of the token: hashes are as long as each other, so the time that comparing takes tells nothing of the token.
    Token([u8; 32]),
    Check(Arc<Check>),
}

type Check = dyn Fn(&ServiceRequest) -> bool + Send + Sync;

/// What a request proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proven {
    Right,
    Wrong,
    /// Nothing was tried.
    Nothing,
}

impl Auth {
    /// Whoever sends the token: as `Authorization: Bearer TOKEN`, or as the password of HTTP Basic with any user name, which is what
    /// browsers ask for. Compared in constant time. White space around it, such as the line break at the end of a file, does not count.
    ///
    /// Basic and Bearer send the token as it is: serve the scope over TLS.
    ///
    /// ```
    /// use actix_web_guard::admin::Auth;
    ///
    /// # fn main() -> Result<(), actix_web_guard::admin::WeakToken> {
    /// let secret = "b7Ypd0QWnL2kZ8sT"; // from a file or the environment, made by `openssl rand -base64 24`
    /// let auth = Auth::token(secret)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`WeakToken`] if it has less than 16 bytes.
    pub fn token(token: impl AsRef<str>) -> Result<Self, WeakToken> {
        let token = token.as_ref().trim_ascii();
        if token.len() < SHORTEST_TOKEN {
            return Err(WeakToken {
                length: token.len(),
            });
        }
        Ok(Self(Proof::Token(hash(token.as_bytes()))))
    }

    /// Whom `check` lets in: it looks for a session or a header that a proxy sets after its own login. It runs before the guard decides,
    /// for banned clients too, so what it needs has to come from middlewares around the guard. Requests that it turns away count as
    /// wrong attempts, of which a client has 10 in a minute.
    ///
    /// ```
    /// use actix_web_guard::admin::Auth;
    ///
    /// let auth = Auth::check(|request| {
    ///     let user = request.headers().get("x-verified-user");
    ///     user.is_some_and(|user| user == "operator")
    /// });
    /// ```
    pub fn check(check: impl Fn(&ServiceRequest) -> bool + Send + Sync + 'static) -> Self {
        Self(Proof::Check(Arc::new(check)))
    }

    /// Whether browsers are asked for a password.
    pub(crate) fn asks_for_password(&self) -> bool {
        matches!(self.0, Proof::Token(_))
    }

    pub(super) fn proven(&self, request: &ServiceRequest) -> Proven {
        let is_right = match &self.0 {
            Proof::Check(check) => check(request),
            Proof::Token(token) => match given_token(request.headers()) {
                Given::Nothing => return Proven::Nothing,
                Given::Unreadable => false,
                Given::Token(given) => hash(&given).ct_eq(token).into(),
            },
        };
        if is_right {
            Proven::Right
        } else {
            Proven::Wrong
        }
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Proof::Token(_) => "Auth::token(…)",
            Proof::Check(_) => "Auth::check(…)",
        })
    }
}

/// A token that can be guessed: it has less than 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakToken {
    length: usize,
}

impl fmt::Display for WeakToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "admin token: at least {SHORTEST_TOKEN} bytes, this one has {}; make one with: openssl rand -base64 24",
            self.length
        )
    }
}

impl std::error::Error for WeakToken {}

enum Given {
    Nothing,
    Unreadable,
    Token(Vec<u8>),
}

/// The token of a request (RFC 6750, RFC 7617).
fn given_token(headers: &HeaderMap) -> Given {
    let mut lines = headers.get_all(AUTHORIZATION);
    let Some(line) = lines.next() else {
        return Given::Nothing;
    };
    if lines.next().is_some() {
        return Given::Unreadable;
    }
    let token = str::from_utf8(line.as_bytes()).ok().and_then(token_of);
    token.map_or(Given::Unreadable, Given::Token)
}

fn token_of(credentials: &str) -> Option<Vec<u8>> {
    let (scheme, value) = credentials.trim().split_once(' ')?;
    let value = value.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(value.as_bytes().to_vec());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let user_and_password = STANDARD.decode(value).ok()?;
    let colon = user_and_password.iter().position(|byte| *byte == b':')?;
    let password = user_and_password.get(colon + 1..)?;
    Some(password.trim_ascii().to_vec())
}

fn hash(token: &[u8]) -> [u8; 32] {
    Sha256::digest(token).into()
}
