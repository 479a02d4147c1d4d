//! Values in JSON that may be written in several ways; what is of no use is skipped.
//!
//! Must not know: names of fields.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

/// A text or a number; of a list, its first one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Scalar<'a> {
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    Number(f64),
}

impl<'a> Scalar<'a> {
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Nothing => None,
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Nothing => None,
        }
    }

    /// Whether nothing is said: logs have an empty text or `-` for it as well.
    pub(super) fn is_nothing(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) => matches!(text.as_ref(), "" | "-"),
            Self::Number(_) => false,
        }
    }
}

/// A scalar, or an object of the kind that is looked for.
#[derive(Debug)]
pub(super) enum Either<'a, T> {
    Scalar(Scalar<'a>),
    Object(Box<T>),
}

impl<T> Default for Either<'_, T> {
    fn default() -> Self {
        Self::Scalar(Scalar::Nothing)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let either: Either<'_, IgnoredAny> = Either::deserialize(deserializer)?;
        Ok(match either {
            Either::Scalar(scalar) => scalar,
            Either::Object(_) => Scalar::Nothing,
        })
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for Either<'a, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherVisitor(PhantomData))
    }
}

struct EitherVisitor<'a, T>(PhantomData<(&'a (), T)>);

impl<'de: 'a, 'a, T: Deserialize<'de>> Visitor<'de> for EitherVisitor<'a, T> {
    type Value = Either<'a, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Either::Scalar(Scalar::Text(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Either::Scalar(Scalar::Text(Cow::Owned(text.to_owned()))))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Either::Scalar(Scalar::Number(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Either::Scalar(Scalar::Number(number as f64)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Either::Scalar(Scalar::Number(number as f64)))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Either::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Either::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let first = list.next_element::<Scalar<'a>>()?.unwrap_or_default();
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Either::Scalar(first))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let object = T::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Either::Object(Box::new(object)))
    }
}
