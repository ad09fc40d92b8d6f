pub mod outer {
    pub mod middle {
        pub struct Deep;

        impl Deep {
            pub fn act(&self) {}
        }

        impl super::Walk for Deep {}
    }

    pub trait Walk {}

    pub(in crate::outer) enum Mode {
        A = 1,
        B,
    }
}

impl outer::middle::Deep {
    fn elsewhere() {}
}

impl<T> From<Vec<T>> for Wrapper<T> {
    fn from(v: Vec<T>) -> Self {
        Wrapper(v)
    }
}

pub struct Wrapper<T>(Vec<T>);

unsafe impl<T> Send for Wrapper<T> {}

const fn compile_time() -> i32 {
    1
}

unsafe extern "C" fn callback(_: i32) {}

const _: () = ();

impl super::Walk for &mut [Deep] {
    fn walk(&self) {}
}
