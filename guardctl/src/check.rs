//! `guardctl check`: whether a server would start with a configuration, and what would be in force.
//!
//! Must not know: other commands.

use crate::{
    arguments::Check,
    configuration::{build, read},
    failure::Failure,
    output::print,
};

pub(crate) fn run(arguments: &Check) -> Result<(), Failure> {
    let config = build(read(Some(&arguments.file))?)?;
    print(&config.to_string())
}
