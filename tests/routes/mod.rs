//! Limits per route: which window a request counts in, whatever the application looks like.

mod annotations;
mod configured;
mod exactness;
mod keys;
mod lazy;
mod wrapped;
