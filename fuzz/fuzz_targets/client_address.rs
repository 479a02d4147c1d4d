//! The headers with which proxies name the client.
#![no_main]

use actix_web_guard::fuzzing::client_address;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| client_address(input));
