"""What is left of NumPy's names: functions with derivative zero, and those that are not numerical."""

from __future__ import annotations

from .numpy_probes import _each, _table

# results that are constant wherever they are differentiable: integers, truth values, shapes
ZERO = {
    **_each(
        """np.floor np.ceil np.trunc np.rint np.fix np.round np.around np.sign np.signbit np.spacing
        np.isfinite np.isinf np.isnan np.isneginf np.isposinf np.iscomplex np.isreal np.iscomplexobj
        np.isrealobj np.isscalar np.iterable np.logical_not np.shape np.size np.ndim np.zeros_like
        np.ones_like np.empty_like np.isfortran np.array_repr np.array_str np.array2string np.common_type
        np.min_scalar_type np.result_type np.linalg.matrix_rank np.triu_indices_from np.tril_indices_from
        np.diag_indices_from""",
        "NAME(s)",
    ),
    **_each(
        """np.all np.any np.argmax np.argmin np.nanargmax np.nanargmin np.argsort np.count_nonzero np.nonzero
        np.flatnonzero np.argwhere np.histogram_bin_edges""",
        "NAME(m)",
    ),
    **_each(
        """np.greater np.greater_equal np.less np.less_equal np.equal np.not_equal np.isclose np.allclose
        np.array_equal np.array_equiv np.logical_and np.logical_or np.logical_xor np.isin np.in1d
        np.floor_divide np.may_share_memory np.shares_memory""",
        "NAME(a, b)",
    ),
    **_table("""
        np.argpartition np.argpartition(a, 1)
        np.lexsort np.lexsort((a, b))
        np.searchsorted np.searchsorted([0.0, 1.0], a)
        np.digitize np.digitize(a, [0.0, 1.0])
        np.can_cast np.can_cast(a.dtype, float)
        np.einsum_path np.einsum_path('i,i', a, b)
    """),
    **{
        "op " + name: expression
        for name, expression in _table("""
            // a // b
            < a < b
            <= a <= b
            > a > b
            >= a >= b
            == a == b
            != a != b
            bool bool(x)
            len len(a)
            in 1.0 in a
            hash hash(x)
            round round(x)
        """).items()
    },
    **{
        "ndarray." + name: expression
        for name, expression in {
            **_each("all any argmax argmin argsort nonzero round __len__ __str__ __repr__", "a.NAME()"),
            **_each("shape size ndim dtype itemsize nbytes strides flags device", "a.NAME"),
            **_table("""
                argpartition a.argpartition(1)
                searchsorted a.searchsorted(0.5)
                __contains__ a.__contains__(1.0)
            """),
        }.items()
    },
}

# reason: names
NOT_NUMERICAL = {
    "input, output and printing": """
        np.base_repr np.binary_repr np.format_float_positional np.format_float_scientific np.fromfile
        np.fromregex np.fromstring np.frombuffer np.from_dlpack np.fromiter np.genfromtxt np.load np.loadtxt
        np.save np.savetxt np.savez np.savez_compressed np.recfromcsv np.recfromtxt np.DataSource np.disp
        np.who ndarray.dump ndarray.dumps ndarray.tofile ndarray.tobytes ndarray.tostring
    """,
    "settings and information": """
        np.get_include np.get_printoptions np.set_printoptions np.printoptions np.getbufsize np.setbufsize
        np.geterr np.seterr np.geterrcall np.seterrcall np.errstate np.info np.show_config np.show_runtime
        np.test np.typename np.typecodes np.sctypeDict np.ScalarType np.little_endian np.linalg.test
        np.fft.test np.random.test np.lookfor np.deprecate np.deprecate_with_doc np.add_docstring
        np.add_newdoc np.add_newdoc_ufunc np.source np.safe_eval np.set_string_function np.set_numeric_ops
        np.geterrobj np.seterrobj np.sctypes np.tracemalloc_domain np.kernel_version np.byte_bounds
        np.get_array_wrap
        np.compare_chararrays np.use_hugepage
    """,
    "dtypes and shapes": """
        np.mintypecode np.promote_types np.issubdtype np.isdtype np.finfo np.iinfo np.dtype
        np.broadcast_shapes np.ndindex np.nested_iters np.nditer np.flatiter np.broadcast np.ufunc
        np.ndenumerate np.issctype np.issubclass_ np.issubsctype np.obj2sctype np.sctype2char
        np.maximum_sctype np.find_common_type np.cast np.nbytes np.format_parser np.ndarray
    """,
    "arrays of integers or constants from shapes": """
        np.empty np.eye np.identity np.ones np.zeros np.tri np.indices np.diag_indices np.tril_indices
        np.triu_indices np.mask_indices np.unravel_index np.ravel_multi_index np.bartlett np.blackman
        np.hamming np.hanning np.mgrid np.ogrid np.s_ np.index_exp np.polynomial.chebyshev.chebgauss
        np.polynomial.chebyshev.chebpts1 np.polynomial.chebyshev.chebpts2 np.polynomial.legendre.leggauss
        np.polynomial.laguerre.laggauss np.polynomial.hermite.hermgauss np.polynomial.hermite_e.hermegauss
    """,
    "integers, bits and dates": """
        np.bitwise_and np.bitwise_or np.bitwise_xor np.bitwise_not np.bitwise_invert np.bitwise_count
        np.bitwise_left_shift np.bitwise_right_shift np.left_shift np.right_shift np.invert np.gcd np.lcm
        np.packbits np.unpackbits np.isnat np.busday_count np.busday_offset np.busdaycalendar np.is_busday
        np.datetime_as_string np.datetime_data ndarray.choose
    """,
    "works in place: refused with an explanation": """
        np.copyto np.fill_diagonal np.place np.put np.put_along_axis np.putmask ndarray.fill ndarray.itemset
        ndarray.partition ndarray.put ndarray.resize ndarray.setfield ndarray.sort
    """,
    "views of memory": """
        ndarray.base ndarray.byteswap ndarray.ctypes ndarray.data ndarray.getfield ndarray.newbyteorder
        ndarray.setflags
    """,
    "classes of other arrays, which hold plain values": """
        np.matrix np.asmatrix np.bmat np.mat np.memmap np.recarray np.record np.chararray np.poly1d
    """,
    "draws that are not differentiable in their parameters: refused with an explanation": """
        np.random.beta np.random.binomial np.random.chisquare np.random.dirichlet np.random.f
        np.random.geometric np.random.hypergeometric np.random.logseries np.random.multinomial
        np.random.negative_binomial np.random.noncentral_chisquare np.random.noncentral_f np.random.poisson
        np.random.randint np.random.random_integers np.random.shuffle np.random.standard_gamma
        np.random.standard_t np.random.vonmises np.random.wald np.random.zipf
    """,
    "draws without real parameters": """
        np.random.bytes np.random.rand np.random.randn np.random.random np.random.random_sample np.random.ranf
        np.random.sample np.random.standard_cauchy np.random.standard_exponential np.random.standard_normal
    """,
    "generators and their states": """
        np.random.BitGenerator np.random.Generator np.random.MT19937 np.random.PCG64 np.random.PCG64DXSM
        np.random.Philox np.random.RandomState np.random.SFC64 np.random.SeedSequence np.random.default_rng
        np.random.get_bit_generator np.random.set_bit_generator np.random.get_state np.random.set_state
        np.random.seed
    """,
    "left NumPy with version 2": """
        np.alltrue np.sometrue np.product np.cumproduct np.msort np.asfarray np.round_ np.fastCopyAndTranspose
    """,
}

REASONS = {name: reason for reason, names in NOT_NUMERICAL.items() for name in names.split()}
