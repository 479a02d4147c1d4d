//! The examples are beside this folder, one file each.
