//! Ready values of the `RateLimit` field: the state of one quota takes few values that come again and again, and to write one
//! costs more than the whole decision.
//!
//! Must not know: requests, quotas.

use std::cell::RefCell;

use actix_web::http::header::HeaderValue;

/// Enough for what one window says at a time; a power of two.
const SLOTS: usize = 64;

/// The values of one quota that were told last, each in the slot of its state.
#[derive(Debug, Default)]
pub(crate) struct StateValues {
    /// Made with the first value.
    slots: RefCell<Vec<Option<(State, HeaderValue)>>>,
}

/// Requests that remain, and seconds until there is one more.
type State = (u32, u64);

impl StateValues {
    /// The value for a state, made if it is not there.
    #[inline]
    pub(crate) fn get(&self, state: State, make: impl FnOnce() -> HeaderValue) -> HeaderValue {
        let mut slots = self.slots.borrow_mut();
        if slots.is_empty() {
            slots.resize(SLOTS, None);
        }
        let (remaining, seconds) = state;
        // Neighbouring states, which are told at the same time, are in different slots.
        let at = (remaining as usize ^ (seconds as usize).wrapping_mul(7)) % SLOTS;
        match slots.get_mut(at) {
            Some(Some((known, value))) if *known == state => value.clone(),
            Some(slot) => {
                let value = make();
                *slot = Some((state, value.clone()));
                value
            }
            None => make(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_gets_its_own_value_however_often_slots_change_hands() {
        let values = StateValues::default();
        let text = |(remaining, seconds): State| format!("{remaining} {seconds}");
        for round in 0..3 {
            for remaining in 0..40 {
                for seconds in [0, 1, 59, 60, u64::MAX] {
                    let state = (remaining, seconds);
                    let make = || HeaderValue::from_str(&text(state)).unwrap();
                    assert_eq!(
                        values.get(state, make),
                        text(state).as_str(),
                        "round {round}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_value_that_was_told_last_is_not_made_again() {
        let values = StateValues::default();
        let first = values.get((49, 60), || HeaderValue::from_static("first"));
        let again = values.get((49, 60), || panic!("made again"));
        assert_eq!(first, again);
    }
}
