//! What a restored folder has and the snapshot has not, removed where that is asked for.
//!
//! Nothing goes from a folder whose tree could not be read whole, and no link is followed.

use manicule_store::InsideFolder;

use super::failure::Failure;
use super::job::Restore;
use super::options::RestoreEvent;

impl Restore<'_> {
    /// Removes from the last folder what it has beside the nodes of its tree, as far as that is
    /// chosen.
    pub(super) fn delete_others(&mut self) {
        let Some(level) = self.levels.last() else { return };
        if !self.is_deleting || !level.is_chosen || !level.is_whole {
            return;
        }
        let is_dry = self.options.is_dry;
        let Some(folder) = (if is_dry { self.dry_folder() } else { self.own_folder() }) else {
            return;
        };
        let (path, state) = (level.path.clone(), level.state);
        let names = match folder.names() {
            Ok(names) => names,
            Err(error) => return self.fail(&path, error.into()),
        };
        let others: Vec<Vec<u8>> = names
            .into_iter()
            .filter(|name| !level.names.contains(name) && self.choose(state, name).1)
            .collect();
        for name in others {
            let (sums, report) = (&mut self.sums, &mut self.report);
            let removed = folder.remove_all(&name, is_dry, &mut |names| {
                sums.deleted += 1;
                let path = [&path[..], b"/", &names.join(&b'/')].concat();
                report(RestoreEvent::Deleted { path: &path });
            });
            if let Err(error) = removed {
                let path = [&path[..], b"/", &name].concat();
                self.fail(&path, Failure::of_target(format!("not removed: {error}")));
            }
        }
    }

    /// The folder of the last level, once more.
    fn own_folder(&self) -> Option<InsideFolder> {
        self.folder()?.below(&[]).ok()
    }

    /// The folder of the last level as it is, where nothing is written.
    pub(super) fn dry_folder(&self) -> Option<InsideFolder> {
        self.dry_target.as_ref()?.below(&self.names()).ok()
    }
}
