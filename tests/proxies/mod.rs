//! Behind a real nginx, set up with the lines that its documentation and everybody's tutorials have.

mod forgotten;
mod nginx;
mod trusted;
