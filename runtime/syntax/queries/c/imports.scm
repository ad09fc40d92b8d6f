(preproc_include path: (_) @module @place) @import
