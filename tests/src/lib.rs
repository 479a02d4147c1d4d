//! The tests are in `main.rs` and its modules.
