//! Where the scope may be mounted.

use std::panic::catch_unwind;

use super::{Auth, scope};

fn is_mounted_at(path: &'static str) -> bool {
    catch_unwind(|| drop(scope(path, Auth::check(|_| true)))).is_ok()
}

#[test]
fn the_scope_has_a_path_of_its_own() {
    for path in ["/guard", "/guard/", "/internal/guard"] {
        assert!(is_mounted_at(path), "{path}");
    }
    for path in ["", "/", "guard", "/{tenant}/guard", "/guard?", "/a%20b"] {
        assert!(!is_mounted_at(path), "{path}");
    }
}
