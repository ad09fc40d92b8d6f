; See runtime/syntax/quoted_names.h for the captures.
(type) @annotation
(assignment type: (type) @alias right: (string) @value)
(class_definition superclasses: (argument_list (subscript value: [(identifier) (attribute)] @base) @bases))
(subscript value: [(identifier) (attribute)] @generic) @arguments
(call function: [(identifier) (attribute)] @function arguments: (argument_list) @arguments) @call
(assignment left: (identifier) @_list right: (_) @names (#eq? @_list "__all__"))
(augmented_assignment left: (identifier) @_list right: (_) @names (#eq? @_list "__all__"))
(call
  function: (attribute object: (identifier) @_list attribute: (identifier) @_method)
  arguments: (argument_list) @names
  (#eq? @_list "__all__") (#any-of? @_method "append" "extend"))
((comment) @comment (#match? @comment "^#\\s*type:"))
