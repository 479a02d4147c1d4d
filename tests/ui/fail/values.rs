//! Values that are no number of requests, no window, no name, no key.

use actix_web::{Responder, get};
use actix_web_guard::rate_limit;

#[rate_limit(requests = 0, window = 60)]
#[get("/")]
async fn zero_requests() -> impl Responder {
    "hello"
}

#[rate_limit(requests = -5, window = -60)]
#[get("/")]
async fn negative() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 1.5, window = 1.5)]
#[get("/")]
async fn fractions() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 4294967296, window = 31622401)]
#[get("/")]
async fn too_large() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 99999999999999999999999, window = 99999999999999999999999)]
#[get("/")]
async fn far_too_large() -> impl Responder {
    "hello"
}

#[rate_limit(requests = "5", window = "60")]
#[get("/")]
async fn numbers_in_quotes() -> impl Responder {
    "hello"
}

#[rate_limit(requests = LIMIT, window = 60 * 60)]
#[get("/")]
async fn expressions() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5u32, window = 5m)]
#[get("/")]
async fn suffixes() -> impl Responder {
    "hello"
}

#[rate_limit(requests = true, window = true)]
#[get("/")]
async fn booleans() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 0)]
#[get("/")]
async fn zero_window() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = "0s")]
#[get("/")]
async fn zero_seconds() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = "367d")]
#[get("/")]
async fn too_many_days() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = "abc")]
#[get("/")]
async fn no_time() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = "5x")]
#[get("/")]
async fn unknown_unit() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = "")]
#[get("/")]
async fn empty_window() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = "1.5h")]
#[get("/")]
async fn fraction_of_an_hour() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, name = "")]
#[get("/")]
async fn empty_name() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, name = "say \"hi\"")]
#[get("/")]
async fn quotes_in_name() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, name = "back\\slash")]
#[get("/")]
async fn backslash_in_name() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, name = "größe")]
#[get("/")]
async fn not_ascii_in_name() -> impl Responder {
    "hello"
}

#[rate_limit(
    requests = 5,
    window = 60,
    name = "00000000001111111111222222222233333333334444444444555555555566666"
)]
#[get("/")]
async fn long_name() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, name = burst)]
#[get("/")]
async fn name_without_quotes() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, key = "by_key")]
#[get("/")]
async fn key_in_quotes() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, key = by_key())]
#[get("/")]
async fn key_called() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, key = |request| None)]
#[get("/")]
async fn key_as_closure() -> impl Responder {
    "hello"
}

macro_rules! handler {
    () => {
        #[rate_limit(requests = 5, window = 60, key = $crate::by_nothing)]
        #[get("/")]
        async fn key_with_dollar_crate() -> impl Responder {
            "hello"
        }
    };
}

handler!();

#[rate_limit(requests = 5, window = 60, crate = "actix-web-guard")]
#[get("/")]
async fn crate_by_the_name_of_its_package() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, crate = guard())]
#[get("/")]
async fn crate_called() -> impl Responder {
    "hello"
}

#[rate_limit(requests = 5, window = 60, crate = exported::guard, name = "one")]
#[rate_limit(requests = 5, window = 60, crate = exported)]
#[get("/")]
async fn two_paths_of_the_crate() -> impl Responder {
    "hello"
}

macro_rules! handler_of_another_crate {
    () => {
        #[rate_limit(requests = 5, window = 60, crate = $crate::exported)]
        #[get("/")]
        async fn crate_with_dollar_crate() -> impl Responder {
            "hello"
        }
    };
}

handler_of_another_crate!();

fn main() {
    // A handler is there in spite of the mistake.
    let _ = zero_requests;
}
