//! The decoders of values that threat detection looks at.
#![no_main]

use actix_web_guard::fuzzing::decoders;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| decoders(input));
