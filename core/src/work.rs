//! Counts of the work of a call, and of what was verified: numbers with names, that can be added up
//! and listed.

/// Declares a struct of counters: every field a `u64` with a doc, in the order in which they are
/// listed. `fields` lists them by their names, which for a field written as `field = "name"` is
/// that name; `add` adds those of another part.
/// Counters of another such struct follow `with`.
///
/// ```
/// manicule_core::counts! {
///     /// Names that were not entered.
///     pub struct Refused {
///         /// Links.
///         links = "refused_links",
///     }
/// }
/// manicule_core::counts! {
///     /// Cost of a walk.
///     pub struct Walked {
///         /// Folders that were entered.
///         folders,
///         /// Bytes of their names.
///         len = "names_len",
///     } with {
///         /// Names that were not.
///         refused: Refused,
///     }
/// }
/// let mut walked = Walked { folders: 1, len: 20, refused: Refused { links: 3 } };
/// walked.add(&Walked { folders: 2, ..Walked::default() });
/// assert_eq!(walked.fields(), [("folders", 3), ("names_len", 20), ("refused_links", 3)]);
/// ```
#[macro_export]
macro_rules! counts {
    (
        $(#[$doc:meta])*
        $vis:vis struct $counts:ident {
            $($(#[$field_doc:meta])* $field:ident $(= $name:literal)?,)*
        } $(with {
            $($(#[$part_doc:meta])* $part:ident: $parts:ty,)*
        })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $vis struct $counts {
            $($(#[$field_doc])* $vis $field: u64,)*
            $($($(#[$part_doc])* $vis $part: $parts,)*)?
        }

        impl $counts {
            /// The counts by their names, in the order in which they are declared.
            $vis fn fields(&self) -> Vec<(&'static str, u64)> {
                [
                    vec![$(($crate::counts!(@name $field $($name)?), self.$field),)*],
                    $($(self.$part.fields(),)*)?
                ]
                .concat()
            }

            /// Adds those of another part.
            $vis fn add(&mut self, part: &Self) {
                $(self.$field += part.$field;)*
                $($(self.$part.add(&part.$part);)*)?
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
}
